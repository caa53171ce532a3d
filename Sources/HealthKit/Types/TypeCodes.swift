/// The numbers by which Apple's framework names types in archives.
///
/// Apple does not publish them. They are taken to be those under which the types stand in the database of an
/// iPhone's backup, which others have read; a type whose number is not known from there is not read.
enum TypeCodes {}
