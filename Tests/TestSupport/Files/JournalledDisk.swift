import Foundation

/// A disk of a test's own whose file system, as that of a disk that fails, refuses each write from one moment
/// on. Only an administrator can mount one.
final class JournalledDisk {
  static let canMount: Bool = {
    guard let folder = try? TemporaryFolder(), let disk = try? JournalledDisk(at: folder.url.path) else {
      return false
    }
    return (try? disk.fail()) != nil
  }()

  private let path: String
  private let image: TemporaryFolder

  /// - Parameter place: an empty folder.
  init(at place: String) throws {
    path = place
    image = try TemporaryFolder()
    let file = image.path("disk")
    try Data().write(to: URL(filePath: file))
    guard truncate(file, 16 << 20) == 0 else { throw SmallDisk.Refused() }
    try SmallDisk.run("/usr/sbin/mkfs.ext4", "-q", "-F", file)
    try mount()
  }

  deinit { try? unmount() }

  /// Has the kernel give the file system up: `EROFS` for each write, to files that are open too.
  func fail() throws { try SmallDisk.run("/usr/bin/mount", "-o", "remount,abort", path) }

  /// To be called when nobody has a file open there.
  func mountAnew() throws {
    try unmount()
    try mount()
  }

  private func mount() throws {
    try SmallDisk.run("/usr/bin/mount", "-o", "loop,errors=remount-ro", image.path("disk"), path)
  }

  private func unmount() throws { try SmallDisk.run("/usr/bin/umount", "--lazy", path) }
}
