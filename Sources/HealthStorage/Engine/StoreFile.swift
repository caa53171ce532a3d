import Foundation

/// The file of a sample database, private from its first byte on.
///
/// SQLite would create the file with the mode of the umask. Creating it here with 0600 also determines the
/// mode of the `-wal` and `-shm` files, which SQLite creates with the mode of the main file.
enum StoreFile {
  /// Creates the directory (0700) and the file (0600) if they are missing. Existing ones keep their mode.
  /// - Returns: the absolute path without symbolic links. It stays valid if the working directory changes,
  ///   and its directory can be watched: inotify reports changes only for the real directory, not for one
  ///   that holds a link.
  static func prepare(at path: String) throws(StorageError) -> String {
    try create(at: path)
    guard let resolved = realpath(path, nil) else {
      throw .file(operation: "realpath", path: path, errno: errno)
    }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// Whether the file system is mounted read-only. Writes to an open file may still report success.
  static func isOnReadOnlyFileSystem(_ path: String) -> Bool {
    var status = statvfs()
    return statvfs(path, &status) == 0 && status.f_flag & UInt(ST_RDONLY) != 0
  }

  /// Whether no file can be created beside the store because the file system is read-only. After an emergency
  /// remount, only creating a file reports that error.
  static func hasReadOnlyFileSystem(_ path: String) -> Bool {
    // `O_TMPFILE`, which Swift does not import, creates an unnamed file.
    let descriptor = open(path.enclosingFolder, 0o20_000_000 | O_DIRECTORY | O_RDWR | O_CLOEXEC, 0o600)
    guard descriptor < 0 else {
      close(descriptor)
      return false
    }
    return errno == EROFS
  }

  /// Returns the path or URI for a read-only connection. SQLite creates files beside a store in WAL mode,
  /// which fails on a read-only file system. Nothing can change there, so the store is opened as immutable.
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
    // A umask can only remove bits: 0277 would create a file that its owner cannot write.
    guard fchmod(descriptor, 0o600) == 0 else {
      throw .file(operation: "chmod", path: path, errno: errno)
    }
  }

  /// Rejects directories and special files. SQLite reports only a read error for a directory, and blocks on a
  /// pipe.
  static func requireFile(at path: String) throws(StorageError) {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG else { return }
    throw .notAFile(path: path, isDirectory: status.st_mode & S_IFMT == S_IFDIR)
  }

  /// Opens a file beside the database, for all users who may use the database. Creates it if it is missing,
  /// with the database's mode and, as root, its owner. Opens it read-only if it cannot be written.
  static func openCompanion(_ companion: String, ofDatabaseAt path: String) throws(StorageError) -> Int32 {
    let made = open(companion, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard made < 0 else {
      var database = stat()
      if stat(path, &database) == 0 {
        // If this fails, the file stays private, which is enough for this user.
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

  /// - Parameter isOfFoldersOwner: whether directories created by root get the owner of their parent
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
