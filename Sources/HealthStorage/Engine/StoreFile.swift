import Foundation

/// The file of a sample database, private from its first byte on.
///
/// SQLite would create it by the umask; here it exists with mode 0600 before SQLite opens it, and SQLite
/// gives its `-wal` and `-shm` files the mode of the main file.
enum StoreFile {
  /// Creates the directory (0700) and the file (0600) where they are missing; what exists keeps its mode.
  /// - Returns: where the file is, whatever the working directory becomes: an absolute path without links,
  ///   since the kernel tells what happens in the directory that holds the log and not in one that holds a
  ///   link.
  static func prepare(at path: String) throws(StorageFailure) -> String {
    try create(at: path)
    guard let resolved = realpath(path, nil) else {
      throw .file(operation: "realpath", path: path, errno: errno)
    }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// Whether nothing can be written beside it, whatever the kernel says of a write to a file that is open.
  static func isOnReadOnlyFileSystem(_ path: String) -> Bool {
    var status = statvfs()
    return statvfs(path, &status) == 0 && status.f_flag & UInt(ST_RDONLY) != 0
  }

  /// Whether no file can be made beside it since the file system is read-only. A kernel that has given one up
  /// says so of what is made there alone.
  static func hasReadOnlyFileSystem(_ path: String) -> Bool {
    // O_TMPFILE, which is not imported: a file without a name.
    let descriptor = open(path.enclosingFolder, 0o20_000_000 | O_DIRECTORY | O_RDWR | O_CLOEXEC, 0o600)
    guard descriptor < 0 else {
      close(descriptor)
      return false
    }
    return errno == EROFS
  }

  /// What SQLite is to open for who only reads. It makes files beside a store with a write-ahead log, which
  /// cannot be made on a read-only file system; and there nothing changes, so that it needs none.
  static func addressForReading(_ path: String) -> String {
    let hasLog = ["-wal", "-journal"].contains { access(path + $0, F_OK) == 0 }
    guard !hasLog, hasReadOnlyFileSystem(path) else { return path }
    return URL(filePath: path).absoluteString + "?immutable=1"
  }

  private static func create(at path: String) throws(StorageFailure) {
    try makeDirectory(path.enclosingFolder)
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      let reason = errno
      try requireFile(at: path)
      guard reason == EEXIST else { throw .file(operation: "create", path: path, errno: reason) }
      return
    }
    defer { close(descriptor) }
    // An umask can only take bits away (0277 would leave a file that its owner cannot write).
    guard fchmod(descriptor, 0o600) == 0 else {
      throw .file(operation: "chmod", path: path, errno: errno)
    }
  }

  /// SQLite would say of a directory that reading fails, and wait at a pipe.
  static func requireFile(at path: String) throws(StorageFailure) {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG else { return }
    throw .notAFile(path: path, isDirectory: status.st_mode & S_IFMT == S_IFDIR)
  }

  /// Opens a file beside the database, for whoever may use the database. A missing one is made with the
  /// database's mode, and with its owner where root makes it. One that may only be read is opened for
  /// reading.
  static func openCompanion(_ companion: String, ofDatabaseAt path: String) throws(StorageFailure) -> Int32 {
    let made = open(companion, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard made < 0 else {
      var database = stat()
      if stat(path, &database) == 0 {
        // Where one of these fails, the file is private, which serves its maker.
        _ = fchmod(made, database.st_mode & 0o666)
        if geteuid() == 0 { _ = fchown(made, database.st_uid, database.st_gid) }
      }
      return made
    }
    guard errno == EEXIST else { throw .file(operation: "create", path: companion, errno: errno) }
    for access in [O_RDWR, O_RDONLY] {
      let descriptor = open(companion, access | O_CLOEXEC | O_NOFOLLOW)
      if descriptor >= 0 { return descriptor }
      guard errno == EACCES else { break }
    }
    throw .file(operation: "open", path: companion, errno: errno)
  }

  /// - Parameter isOfFoldersOwner: whether what root makes belongs to whoever has the folder that it is in.
  static func makeDirectory(_ path: String, isOfFoldersOwner: Bool = false) throws(StorageFailure) {
    guard path != ".", path != "/", access(path, F_OK) != 0 else { return }
    let folder = path.enclosingFolder
    try makeDirectory(folder, isOfFoldersOwner: isOfFoldersOwner)
    guard mkdir(path, 0o700) == 0 else {
      guard errno == EEXIST else { throw .file(operation: "mkdir", path: path, errno: errno) }
      return
    }
    guard chmod(path, 0o700) == 0 else { throw .file(operation: "chmod", path: path, errno: errno) }
    if isOfFoldersOwner { try FileOwnership(of: folder)?.give(path) }
  }
}
