import Foundation

/// A disk image for one test, whose file system can be made to reject all writes, like a failing disk. Only
/// root can mount it.
final class JournalledDisk {
  static let canMount: Bool = {
    guard let folder = try? TemporaryFolder(), let disk = try? JournalledDisk(at: folder.url.path) else {
      return false
    }
    return (try? disk.fail()) != nil
  }()

  private let path: String
  private let image: TemporaryFolder

  /// - Parameter place: The mount point, an empty directory.
  init(at place: String) throws {
    path = place
    image = try TemporaryFolder()
    let file = image.path("disk")
    try Data().write(to: URL(filePath: file))
    guard truncate(file, 16 << 20) == 0 else { throw SmallDisk.RefusedError() }
    try SmallDisk.run("/usr/sbin/mkfs.ext4", "-q", "-F", file)
    try mount()
  }

  deinit { try? unmount() }

  /// Makes the kernel abort the file system, so that every write fails with `EROFS`, also to open files.
  func fail() throws { try SmallDisk.run("/usr/bin/mount", "-o", "remount,abort", path) }

  /// Mounts the file system again. No file may be open on it.
  func remount() throws {
    try unmount()
    try mount()
  }

  private func mount() throws {
    try SmallDisk.run("/usr/bin/mount", "-o", "loop,errors=remount-ro", image.path("disk"), path)
  }

  private func unmount() throws { try SmallDisk.run("/usr/bin/umount", "--lazy", path) }
}
