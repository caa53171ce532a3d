import Foundation

/// The database file of a store, accessible only to its owner from the moment it is created.
///
/// SQLite would create the file with a mode that depends on the umask, so it is created here with 0600.
/// SQLite creates the `-wal` and `-shm` files with the same mode.
enum StoreFile {
  /// Creates the directory (0700) and the file (0600) if they are missing. Existing ones keep their mode.
  /// - Returns: The absolute path without symbolic links. It stays valid if the working directory changes.
  ///   Also, inotify reports changes only in the file's real directory, not in the directory of a link.
  static func prepare(at path: String) throws(StorageError) -> String {
    try create(at: path)
    guard let resolved = realpath(path, nil) else {
      throw .file(operation: "realpath", path: path, errno: errno)
    }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// Returns whether the file system is mounted read-only. Writes to an open file may report success even
  /// then.
  static func isOnReadOnlyFileSystem(_ path: String) -> Bool {
    var status = statvfs()
    return statvfs(path, &status) == 0 && status.f_flag & UInt(ST_RDONLY) != 0
  }

  /// Returns whether files cannot be created next to the store because the file system is read-only. If the
  /// kernel has remounted it after an error, only an attempt to create a file shows this.
  static func hasReadOnlyFileSystem(_ path: String) -> Bool {
    // This is `O_TMPFILE`, which Swift does not import. It creates an unnamed file.
    let descriptor = open(path.enclosingFolder, 0o20_000_000 | O_DIRECTORY | O_RDWR | O_CLOEXEC, 0o600)
    guard descriptor < 0 else {
      close(descriptor)
      return false
    }
    return errno == EROFS
  }

  /// Returns the path or URI for opening a store for reading. In WAL mode, SQLite has to create files next to
  /// the store, which fails on a read-only file system. There, the store is opened as immutable, because
  /// nothing can change it.
  static func addressForReading(_ path: String) -> String {
    let hasLog = ["-wal", "-journal"].contains { access(path + $0, F_OK) == 0 }
    guard !hasLog, hasReadOnlyFileSystem(path) else { return path }
    return URL(filePath: path).absoluteString + "?immutable=1"
  }

  private static func create(at path: String) throws(StorageError) {
    try makeDirectory(path.enclosingFolder)
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      let reason = errno
      try requireFile(at: path)
      guard reason == EEXIST else { throw .file(operation: "create", path: path, errno: reason) }
      return
    }
    defer { close(descriptor) }
    // The umask may have removed the owner's permissions, for example 0277.
    guard fchmod(descriptor, 0o600) == 0 else {
      throw .file(operation: "chmod", path: path, errno: errno)
    }
  }

  /// Throws if the path is a directory or a special file. SQLite would report only a read error for a
  /// directory, and block on a pipe.
  static func requireFile(at path: String) throws(StorageError) {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG else { return }
    throw .notAFile(path: path, isDirectory: status.st_mode & S_IFMT == S_IFDIR)
  }

  /// Opens a file next to the database. If it is missing, it is created with the database's mode and, if this
  /// process is root, its owner, so that all users of the database can use it. If it is not writable, it is
  /// opened read-only.
  static func openCompanion(_ companion: String, ofDatabaseAt path: String) throws(StorageError) -> Int32 {
    let made = open(companion, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard made < 0 else {
      var database = stat()
      if stat(path, &database) == 0 {
        // If this fails, only this user can use the file.
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

  /// - Parameter isOfFoldersOwner: Whether a directory created by root gets the owner of its parent
  ///   directory.
  static func makeDirectory(_ path: String, isOfFoldersOwner: Bool = false) throws(StorageError) {
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
