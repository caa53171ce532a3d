import Foundation
import Testing

@testable import TestSupport
@testable import hrgate

/// Tests collecting the facts for `hrgate doctor`, from files like those of the kernel.
@Suite struct GatheringTests {
  private func file(_ folder: TemporaryFolder, _ path: String, _ text: String) throws {
    let url = folder.url.appending(path: path)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url)
  }

  @Test func `rfkill switches of Bluetooth are read, and those of other radios are not`() throws {
    let folder = try TemporaryFolder()
    for (name, type, soft, hard) in [
      ("rfkill0", "bluetooth", "1", "0"), ("rfkill1", "wlan", "1", "1"), ("rfkill2", "bluetooth", "0", "1"),
    ] {
      try file(folder, "sys/class/rfkill/\(name)/type", type + "\n")
      try file(folder, "sys/class/rfkill/\(name)/soft", soft + "\n")
      try file(folder, "sys/class/rfkill/\(name)/hard", hard + "\n")
      try file(folder, "sys/class/rfkill/\(name)/name", "switch of \(name)\n")
    }
    let facts = MachineFacts.gather(root: folder.url.path + "/")
    #expect(
      facts.radioSwitches == [
        .init(name: "switch of rfkill0", isSoftBlocked: true, isHardBlocked: false),
        .init(name: "switch of rfkill2", isSoftBlocked: false, isHardBlocked: true),
      ])
  }

  @Test func `adapters are distinguished from their links`() throws {
    let folder = try TemporaryFolder()
    for name in ["hci0", "hci1", "hci0:64"] { try file(folder, "sys/class/bluetooth/\(name)/uevent", "") }
    #expect(
      MachineFacts.gather(root: folder.url.path + "/").adapters == ["hci0", "hci1"])
  }

  @Test func `the kernel's supervision timeout takes precedence over the configured one`() throws {
    let folder = try TemporaryFolder()
    func time() -> Int? {
      MachineFacts.gather(root: folder.url.path + "/").supervisionTimeout
    }
    #expect(time() == nil)
    try file(
      folder, "etc/bluetooth/main.conf",
      "[LE]\n#ConnectionSupervisionTimeout=1\nConnectionSupervisionTimeout = 600\n")
    #expect(time() == 6000)
    try file(folder, "sys/kernel/debug/bluetooth/hci0/supervision_timeout", "42\n")
    #expect(time() == 420)
  }

  @Test(
    arguments: [
      ("6.1.0-20-amd64", "#1 SMP PREEMPT_DYNAMIC Debian 6.1.85-1 (2024-04-11)", nil, "6.1.85-1", false),
      (
        "6.8.0-31-generic", "#31-Ubuntu SMP PREEMPT_DYNAMIC Sat Apr 20 00:40:06 UTC 2024",
        "Ubuntu 6.8.0-31.31-generic 6.8.1", "6.8.1", true
      ),
      (
        "5.15.0-117-generic", "#127~20.04.1-Ubuntu SMP Thu Jul 11 15:36:12 UTC 2024",
        "Ubuntu 5.15.0-117.127~20.04.1-generic 5.15.158", "5.15.158", true
      ),
      ("6.8.0-31-generic", "#31-Ubuntu SMP", nil, "6.8.0-31-generic", true),
      ("6.9.3-arch1-1", "#1 SMP PREEMPT_DYNAMIC Fri, 31 May 2024", nil, "6.9.3-arch1-1", false),
    ] as [(String, String, String?, String, Bool)])
  func `a distribution's kernel is recognized by its base release`(
    release: String, version: String, signature: String?, expected: String, isOfUbuntu: Bool
  ) {
    let name = KernelName(release: release, version: version, signature: signature)
    #expect(name.release == expected && name.isOfUbuntu == isOfUbuntu)
  }

  @Test func `a process has the name that the kernel reports, if it does`() throws {
    let folder = try TemporaryFolder()
    try file(folder, "proc/42/comm", "hrgate\n")
    let root = folder.url.path + "/"
    #expect(StoreFacts.Holder(process: 42, root: root) == .init(process: 42, program: "hrgate"))
    #expect(StoreFacts.Holder(process: 43, root: root) == .init(process: 43, program: nil))
  }

  @Test func `this machine's kernel has a version`() throws {
    #expect(Version(MachineFacts.gather().kernelRelease) != nil)
    let folder = try TemporaryFolder()
    try file(folder, "proc/version_signature", "Ubuntu 5.15.0-117.127-generic 5.15.158\n")
    let facts = MachineFacts.gather(root: folder.url.path + "/")
    #expect(facts.kernelRelease == "5.15.158" && facts.isKernelOfUbuntu)
  }
}
