/// The raw values of the enumerations, for values that arrive as plain integers.
enum EnumerationValues {}
