import Foundation

/// A small file system in memory for one test. Only root can mount it.
final class SmallDisk {
  static let canMount: Bool = (try? SmallDisk(size: "64k")) != nil

  let path: String
  /// Directory that this object has created as the mount point; `nil` if the caller has passed one.
  private let folder: TemporaryFolder?
  private var filler: String { path + "/filler" }

  struct RefusedError: Error {}

  /// - Parameters:
  ///   - size: the size, in the notation of mount(8).
  ///   - user: the user ID of the owner. Other users have no access.
  ///   - place: the mount point, an empty directory; `nil` for a new one.
  init(size: String, user: UInt32 = 0, at place: String? = nil) throws {
    let folder = place == nil ? try TemporaryFolder() : nil
    self.folder = folder
    path = place ?? folder?.url.path ?? ""
    try Self.run("/usr/bin/mount", "-t", "tmpfs", "-o", "size=\(size),mode=700,uid=\(user)", "tmpfs", path)
  }

  /// Unmounts the file system. The kernel keeps its content as long as files are open on it.
  deinit {
    if isCovered { try? uncover() }
    try? Self.run("/usr/bin/umount", "--lazy", path)
  }

  private var isCovered = false

  /// Makes the directory read-only, while writes to open files still succeed. A kernel can behave like this
  /// after a fault of the file system.
  func cover() throws {
    try Self.run("/usr/bin/mount", "--bind", path, path)
    isCovered = true
    try Self.run("/usr/bin/mount", "-o", "remount,bind,ro", path)
  }

  func uncover() throws {
    try Self.run("/usr/bin/umount", "--lazy", path)
    isCovered = false
  }

  func makeReadOnly() throws { try Self.run("/usr/bin/mount", "-o", "remount,ro", path) }

  /// Fills the disk.
  /// - Parameter room: The number of bytes that stay free.
  func fill(leaving room: Int = 0) throws {
    guard FileManager.default.createFile(atPath: filler, contents: nil),
      let file = FileHandle(forWritingAtPath: filler)
    else { throw RefusedError() }
    defer { try? file.close() }
    for size in [1 << 20, 1 << 12, 1] {
      while (try? file.write(contentsOf: Data(count: size))) != nil {}
    }
    try file.truncate(atOffset: file.offset() - min(file.offset(), UInt64(room)))
  }

  /// Deletes the file that fills the disk.
  func makeRoom() throws { try FileManager.default.removeItem(atPath: filler) }

  static func run(_ program: String, _ arguments: String...) throws {
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw RefusedError() }
  }
}
