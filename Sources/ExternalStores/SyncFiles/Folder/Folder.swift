import FileSystem
import Foundation
import Glibc

/// An open directory. All operations use its file descriptor, so they apply to this directory even if it is
/// renamed.
struct Folder: Sendable {
  private let file: OpenFile
  private var descriptor: Int32 { file.descriptor }

  /// Opens a directory.
  ///
  /// - Parameter mayMake: Whether to create the last component of the path, with access for this user only.
  init(_ path: String, mayMake: Bool) throws(FolderError) {
    if mayMake, mkdir(path, 0o700) != 0, errno != EEXIST { throw FolderError() }
    file = OpenFile(descriptor: try checked { Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) })
    guard faccessat(descriptor, ".", W_OK | X_OK, AT_EACCESS) == 0 else { throw FolderError() }
  }

  /// Opens a subdirectory. Symbolic links are not followed, because another user may have created them.
  ///
  /// - Parameter mayMake: Whether to create it, with access for this user only.
  init(_ name: String, in other: Folder, mayMake: Bool = true) throws(FolderError) {
    if mayMake, mkdirat(other.descriptor, name, 0o700) != 0, errno != EEXIST { throw FolderError() }
    let other = other.descriptor
    file = OpenFile(
      descriptor: try checked { openat(other, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) })
  }

  func names() throws(FolderError) -> [String] {
    let copy = try checked { openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    guard let stream = fdopendir(copy) else {
      let failure = FolderError()
      Glibc.close(copy)
      throw failure
    }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// Opens a file. If it is missing, creates it with access for this user only.
  func open(_ name: String) throws(FolderError) -> OpenFile {
    let descriptor = descriptor
    return OpenFile(
      descriptor: try checked { openat(descriptor, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600) })
  }

  /// Opens a file. Returns `nil` if it does not exist.
  func openExisting(_ name: String) throws(FolderError) -> OpenFile? {
    let descriptor = descriptor
    do throws(FolderError) {
      return OpenFile(descriptor: try checked { openat(descriptor, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC) })
    } catch {
      if error.code == ENOENT { return nil }
      throw error
    }
  }

  /// Returns a path that leads to a file in the open directory, for libraries that need paths.
  func path(of name: String) -> String { "/proc/self/fd/\(descriptor)/\(name)" }

  /// Moves a file to another directory under the first free name: `name`, `name-2` and so on. There is no
  /// race, because only the holder of the directory's lock creates such names.
  func move(_ name: String, to other: Folder) throws(FolderError) {
    let point = name.lastIndex(of: ".") ?? name.endIndex
    var new = name
    var number = 1
    while faccessat(other.descriptor, new, F_OK, AT_SYMLINK_NOFOLLOW) == 0 {
      number += 1
      new = name[..<point] + "-\(number)" + name[point...]
    }
    try checked { renameat(descriptor, name, other.descriptor, new) }
  }

  func remove(_ name: String) throws(FolderError) {
    if unlinkat(descriptor, name, 0) != 0, errno != ENOENT { throw FolderError() }
  }

  /// Makes created, renamed and deleted files durable.
  func sync() throws(FolderError) { try file.sync() }

  /// Locks a file in the folder.
  /// - Returns: `nil` if another program has the lock.
  func lock(_ name: String) throws(FolderError) -> FileLock? {
    let folder = descriptor
    let file = try checked {
      openat(folder, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
    }
    do throws(FileLock.LockError) {
      return try FileLock(descriptor: file)
    } catch {
      guard case .system(_, let reason) = error else { return nil }
      throw FolderError(reason)
    }
  }
}

/// An open file, which is closed when its last reference is released. All operations use its file descriptor,
/// because another file may later have its name.
final class OpenFile: Sendable {
  let descriptor: Int32

  init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  func size() throws(FolderError) -> Int {
    var status = stat()
    try checked { fstat(descriptor, &status) }
    return Int(status.st_size)
  }

  func read(at offset: Int, count: Int) throws(FolderError) -> Data {
    var bytes = Data(count: count)
    var done = 0
    while done < count {
      let got = try checked { () -> Int in
        bytes.withUnsafeMutableBytes { buffer in
          pread(descriptor, buffer.baseAddress.map { $0 + done }, count - done, off_t(offset + done))
        }
      }
      if got == 0 { break }
      done += got
    }
    return done == count ? bytes : bytes.prefix(done)
  }

  func write(_ bytes: Data, at offset: Int) throws(FolderError) {
    var done = 0
    while done < bytes.count {
      done += try checked { () -> Int in
        bytes.withUnsafeBytes { buffer in
          pwrite(descriptor, buffer.baseAddress.map { $0 + done }, bytes.count - done, off_t(offset + done))
        }
      }
    }
  }

  func truncate(to size: Int) throws(FolderError) { try checked { ftruncate(descriptor, off_t(size)) } }
  func sync() throws(FolderError) { try checked { fsync(descriptor) } }
}
