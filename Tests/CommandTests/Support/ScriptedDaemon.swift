import Foundation
import Testing

@testable import TestRecordings

/// An org.bluez on a private bus, which knows one strap: the script of the tests of BlueZ.
struct ScriptedDaemon: ~Copyable {
  static let strap = "F0:0D:BE:A7:01:01"
  static let adapter = "00:1B:DC:0A:0B:01"

  private static let script = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../BlueZTests/Support/scripted_bluez.py").standardizedFileURL

  /// The Python of `scripts/bluez-vm/setup`, which has dbus-fast.
  private static var python: String {
    let environment = ProcessInfo.processInfo.environment
    if let python = environment["HRGATE_VM_PYTHON"] { return python }
    let cache = environment["XDG_CACHE_HOME"] ?? "\(environment["HOME"] ?? "")/.cache"
    return "\(cache)/hrgate/bluez-vm/venv/bin/python"
  }

  static let isInstalled: Bool = {
    for path in [python, script.path, "/usr/bin/dbus-daemon"]
    where !FileManager.default.isReadableFile(atPath: path) {
      print("skipped: \(path) is missing (scripts/bluez-vm/setup)")
      return false
    }
    return true
  }()

  private let folder: URL
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()

  /// Where a command finds it.
  var environment: [String: String] { ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=\(folder.path)/bus"] }

  /// - Parameter addressType: The adapter's.
  init(addressType: String = "public") throws {
    // A socket's path is short.
    folder = URL(filePath: "/tmp/bluez-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let tree = folder.appending(path: "tree.json")
    try Data(Self.tree(addressType).utf8).write(to: tree)
    process.executableURL = URL(filePath: Self.python)
    process.arguments = [Self.script.path, "--start-bus", folder.path, "--tree", tree.path]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    try #require(try wait(for: "\"ready\""))
  }

  private static func tree(_ addressType: String) -> String {
    #"""
    {"objects": {
      "/org/bluez/hci0": {"org.bluez.Adapter1": {"Address": "\#(adapter)", "AddressType": "\#(addressType)",
        "Discovering": false, "Powered": true}},
      "/org/bluez/hci0/dev_F0_0D_BE_A7_01_01": {"org.bluez.Device1": {"Address": "\#(strap)",
        "AddressType": "random", "Adapter": "/org/bluez/hci0", "Name": "Strap", "Connected": false,
        "ServicesResolved": false, "Paired": true, "Trusted": false,
        "UUIDs": ["0000180d-0000-1000-8000-00805f9b34fb"]}}}}
    """#
  }

  /// Has it do something, and waits until it is done.
  ///
  /// - Parameter order: The members of the JSON object without its braces.
  func order(_ order: String) throws {
    try input.fileHandleForWriting.write(contentsOf: Data("{\"id\": 1, \(order)}\n".utf8))
    try #require(try wait(for: "\"done\""))
  }

  /// Reads on until a line contains the text.
  private func wait(for text: String) throws -> Bool {
    var line = Data()
    while let byte = try output.fileHandleForReading.read(upToCount: 1), let first = byte.first {
      line.append(first)
      guard first == UInt8(ascii: "\n") else { continue }
      if String(decoding: line, as: UTF8.self).contains(text) { return true }
      line.removeAll()
    }
    return false
  }

  deinit {
    try? input.fileHandleForWriting.close()
    // Foundation's waiting for its end spins, and sometimes never ends.
    process.terminate()
    try? FileManager.default.removeItem(at: folder)
  }
}
