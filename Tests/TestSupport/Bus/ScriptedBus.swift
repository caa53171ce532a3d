import Foundation

/// Runs `scripted_bluez.py`, a mock of org.bluez on a private bus. The process ends when the object is
/// released.
final class ScriptedBus: Sendable {
  /// The D-Bus address of the bus.
  let address: String
  /// Input of the script. A command that a test writes here gets its result from `output`. The head of the
  /// script lists the commands.
  let input: FileHandle
  let output: FileHandle
  private let folder: URL
  private let process: Process

  private static let script = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../BlueZTests/Support/scripted_bluez.py").standardizedFileURL

  /// The Python environment of `scripts/bluez-vm/setup`, which has dbus-fast.
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

  /// - Parameter tree: the JSON text for the script's option `--tree`.
  init(tree: String) throws {
    // The path is short, because the length of a socket's path is limited.
    folder = URL(filePath: "/tmp/bluez-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let file = folder.appending(path: "tree.json")
    try Data(tree.utf8).write(to: file)
    address = "unix:path=\(folder.path)/bus"
    let (input, output) = (Pipe(), Pipe())
    process = Process()
    process.executableURL = URL(filePath: Self.python)
    process.arguments = [Self.script.path, "--start-bus", folder.path, "--tree", file.path]
    process.standardInput = input
    process.standardOutput = output
    self.input = input.fileHandleForWriting
    self.output = output.fileHandleForReading
    try process.run()
  }

  deinit {
    try? input.close()
    // Does not wait for the process, because Foundation's waitUntilExit() spins and sometimes never returns.
    process.terminate()
    try? FileManager.default.removeItem(at: folder)
  }
}
