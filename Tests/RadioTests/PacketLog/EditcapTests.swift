import Foundation
import PacketLog
import Testing

@testable import TestSupport

/// Tests logs that editcap, Wireshark's converter, has written. Skipped if editcap is not installed.
@Suite(.enabled(if: Editcap.isInstalled, "editcap is not installed"))
struct EditcapTests {
  @Test(
    arguments: RecordingTests.recordings,
    ["pcap", "nsecpcap", "pcapng", "btsnoop"])
  func `a converted log has the same packets`(_ recording: RecordingTests.Recording, _ container: String)
    throws
  {
    let original = RecordedLog(try recording.bytes())
    try withTemporaryPath { path in
      try #require(try Editcap.convert(recording.path, to: path, container))
      let converted = RecordedLog(try PacketLogFile.open(path: path))
      #expect(converted.damage == nil)
      #expect(converted.packets == original.packets)
    }
  }
}

enum Editcap {
  private static let path = "/usr/bin/editcap"

  static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: path) }

  /// - Returns: `false` if the conversion failed.
  static func convert(_ input: String, to output: String, _ container: String) throws -> Bool {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = ["-F", container, input, output]
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus == 0
  }
}
