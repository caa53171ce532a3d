import Foundation

extension StoreFile {
  static func size(at path: String) -> Int64 {
    var status = stat()
    return stat(path, &status) == 0 ? Int64(status.st_size) : 0
  }

  /// Returns the absolute path without symbolic links. The file itself may not exist.
  static func location(_ path: String) throws(StorageError) -> String {
    if let resolved = realpath(path, nil) {
      defer { free(resolved) }
      return String(cString: resolved)
    }
    guard let resolved = realpath(path.enclosingFolder, nil) else {
      throw .file(operation: "open", path: path, errno: errno)
    }
    defer { free(resolved) }
    return (String(cString: resolved) as NSString).appendingPathComponent(
      (path as NSString).lastPathComponent)
  }

  /// Returns `name` if no file has this name, otherwise the first unused name among `name-2`, `name-3` and so
  /// on.
  /// - Parameter suffixes: A name also counts as used if a file exists that has the name plus one of these
  ///   suffixes.
  static func freeName(_ name: String, with suffixes: [String] = []) -> String {
    var candidate = name
    var number = 2
    while ([""] + suffixes).contains(where: { access(candidate + $0, F_OK) == 0 }) {
      candidate = "\(name)-\(number)"
      number += 1
    }
    return candidate
  }

  /// Creates a file with mode 0600 under a temporary name, syncs it, and renames it to `path`.
  ///
  /// Throws if there is a device, pipe, socket, directory or symbolic link at `path`.
  /// - Parameters:
  ///   - prepare: Called before the file is renamed, for example to set its owner.
  ///   - naming: Gives the file its final name; `nil` to rename it to `path`.
  static func replacing(
    _ path: String, _ make: (_ temporary: String) throws -> Void,
    prepare: (_ temporary: String) throws -> Void = { _ in },
    naming: ((_ temporary: String) throws -> Void)? = nil
  ) throws {
    try refuseReplacing(path)
    let temporary = "\(path).\(getpid()).part"
    let descriptor = open(temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else {
      throw StorageError.file(operation: "create", path: temporary, errno: errno)
    }
    close(descriptor)
    do {
      try make(temporary)
      try prepare(temporary)
      try sync(temporary)
      if let naming { try naming(temporary) } else { try move(temporary, to: path) }
    } catch {
      for suffix in ["", "-journal", "-wal", "-shm"] { unlink(temporary + suffix) }
      throw error
    }
    try? sync(path.enclosingFolder)
  }

  /// Throws unless the path is a regular file or does not exist. For root, a rename would replace even a
  /// device by a file.
  private static func refuseReplacing(_ path: String) throws(StorageError) {
    var status = stat()
    guard lstat(path, &status) == 0 else {
      guard errno == ENOENT else { throw .file(operation: "stat", path: path, errno: errno) }
      return
    }
    let kind = status.st_mode & S_IFMT
    guard kind != S_IFLNK else { throw .isLink(path: path) }
    guard kind == S_IFREG else { throw .notAFile(path: path, isDirectory: kind == S_IFDIR) }
  }

  /// Throws if there is a log file that SQLite would apply to a new file with this name.
  static func refuseLogs(beside path: String) throws(StorageError) {
    for log in ["-wal", "-journal"].map({ path + $0 }) where access(log, F_OK) == 0 {
      throw .logBeside(path: path, log: log)
    }
  }

  static func move(_ path: String, to other: String) throws(StorageError) {
    guard rename(path, other) == 0 else {
      throw .file(operation: "rename", path: other, errno: errno)
    }
  }

  static func sync(_ path: String) throws(StorageError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .file(operation: "open", path: path, errno: errno) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw .file(operation: "sync", path: path, errno: errno) }
  }
}
