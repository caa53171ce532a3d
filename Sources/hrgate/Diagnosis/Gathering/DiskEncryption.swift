import Foundation
import Glibc

/// Whether the disk of a file is encrypted by the kernel, with LUKS or plain dm-crypt.
enum DiskEncryption {
  /// Maximum number of device layers to follow. A volume on LVM on LUKS has three.
  private static let mostLayers = 8

  /// Returns whether the disk of a file is encrypted.
  /// - Returns: `nil` if it cannot be determined, as on btrfs, ZFS and network file systems.
  static func isEncrypted(_ path: String, root: String = "/") -> Bool? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    let device = UInt64(status.st_dev)
    let major = (device >> 8 & 0xFFF) | (device >> 32 & ~0xFFF)
    let minor = (device & 0xFF) | (device >> 12 & ~0xFF)
    // Major number 0: the file system, such as btrfs or NFS, is not directly on a block device.
    guard major != 0 else { return nil }
    return isEncrypted(device: "\(major):\(minor)", root: root)
  }

  /// Returns whether a block device is encrypted; `nil` if unknown.
  /// - Parameter device: The numbers of the device, such as `253:0`.
  static func isEncrypted(device: String, root: String) -> Bool? {
    isEncrypted(folder: "\(root)sys/dev/block/\(device)", layers: mostLayers)
  }

  private static func isEncrypted(folder: String, layers: Int) -> Bool? {
    guard layers > 0, FileManager.default.fileExists(atPath: folder) else { return nil }
    let identifier = try? String(contentsOfFile: folder + "/dm/uuid", encoding: .utf8)
    if identifier?.hasPrefix("CRYPT-") == true { return true }
    let below = (try? FileManager.default.contentsOfDirectory(atPath: folder + "/slaves")) ?? []
    let found = below.map { isEncrypted(folder: "\(folder)/slaves/\($0)", layers: layers - 1) }
    // The data may be on any of the devices below, so all of them must be encrypted.
    if found.isEmpty || found.contains(false) { return false }
    return found.contains(nil) ? nil : true
  }
}
