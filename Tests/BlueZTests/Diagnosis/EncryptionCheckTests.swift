import Foundation
import Testing

@testable import TestSupport
@testable import hrgate

/// Tests what `hrgate doctor` reports about encryption.
@Suite struct EncryptionCheckTests {
  @Test func `encryption of the store and of its disk is reported`() {
    func texts(_ encryption: StoreFacts.Encryption) -> [String] {
      var store = StoreFacts(path: "/s", state: .current)
      store.encryption = encryption
      #expect(StoreCheck.findings(store).map(\.verdict) == [.ok, .ok])
      return StoreCheck.findings(store).map(\.text)
    }
    #expect(texts(.encrypted)[1] == "it is encrypted")
    #expect(texts(.plain(disk: true))[1] == "it is not encrypted, but its disk is")
    #expect(texts(.plain(disk: false))[1].contains("hrgate store encrypt"))
    #expect(texts(.plain(disk: nil))[1].contains("cannot find out"))
  }

  @Test func `an encrypted disk is found below the layers of the device mapper`() throws {
    let folder = try TemporaryFolder()
    let root = folder.url.path + "/"
    let block = root + "sys/dev/block/"
    func device(_ path: String, _ identifier: String?) throws {
      try FileManager.default.createDirectory(
        atPath: block + path + "/slaves", withIntermediateDirectories: true)
      guard let identifier else { return }
      try FileManager.default.createDirectory(atPath: block + path + "/dm", withIntermediateDirectories: true)
      try Data(identifier.utf8).write(to: URL(filePath: block + path + "/dm/uuid"))
    }
    // Describe block devices: a partition, LVM on LUKS, and LVM on a partition and on LUKS.
    try device("8:1", nil)
    try device("253:1", "LVM-1")
    try device("253:1/slaves/dm-0", "CRYPT-LUKS2-1")
    try device("253:2", "LVM-2")
    try device("253:2/slaves/dm-0", "CRYPT-LUKS2-1")
    try device("253:2/slaves/sda2", nil)
    let found = ["8:1", "253:1", "253:2", "9:9"].map { DiskEncryption.isEncrypted(device: $0, root: root) }
    #expect(found == [false, true, false, nil])
  }
}
