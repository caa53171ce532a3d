import Foundation

/// A disk of a test's own, in memory. Only an administrator can mount one.
final class SmallDisk {
  static let canMount: Bool = (try? SmallDisk(size: "64k")) != nil

  let path: String
  /// `nil` where the place is somebody else's.
  private let folder: TemporaryFolder?
  private var filler: String { path + "/filler" }

  struct Refused: Error {}

  /// - Parameters:
  ///   - size: as mount(8) has it.
  ///   - user: who owns it, and may look into it.
  ///   - place: an empty folder; nil for a new one.
  init(size: String, user: UInt32 = 0, at place: String? = nil) throws {
    let folder = place == nil ? try TemporaryFolder() : nil
    self.folder = folder
    path = place ?? folder?.url.path ?? ""
    try Self.run("/usr/bin/mount", "-t", "tmpfs", "-o", "size=\(size),mode=700,uid=\(user)", "tmpfs", path)
  }

  /// Whoever still has a file open there keeps it until the file is closed.
  deinit {
    if isCovered { try? uncover() }
    try? Self.run("/usr/bin/umount", "--lazy", path)
  }

  private var isCovered = false

  /// Has the place be read-only, and still takes what is written to a file that was open: as a kernel may
  /// that has given a file system up.
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

  /// Leaves no room.
  func fill() throws {
    guard FileManager.default.createFile(atPath: filler, contents: nil),
      let file = FileHandle(forWritingAtPath: filler)
    else { throw Refused() }
    defer { try? file.close() }
    for size in [1 << 20, 1 << 12, 1] {
      while (try? file.write(contentsOf: Data(count: size))) != nil {}
    }
  }

  /// Takes what filled it away.
  func makeRoom() throws { try FileManager.default.removeItem(atPath: filler) }

  static func run(_ program: String, _ arguments: String...) throws {
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Refused() }
  }
}
