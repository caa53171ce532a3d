import Foundation
import Testing

@testable import HealthKit
@testable import TestSupport

/// Tests that another user of the machine can neither read files nor keep the owner from the page.
@Suite(.timeLimit(.minutes(30))) struct OtherUserTests {
  private static let canBeOther = geteuid() == 0 && Command.path(of: "setpriv") != nil
  private static let other = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]

  private let folder: TemporaryFolder
  private let store: String

  init() throws {
    folder = try TemporaryFolder()
    store = folder.path("s.sqlite")
    // Every user may list the folder and write to it.
    chmod(folder.url.path, 0o777)
  }

  /// Runs a command with a umask that hides nothing.
  private func hrgate(_ arguments: String...) throws {
    let command = [Command.hrgate.path] + arguments + ["--store", store]
    let result = try Command.tool("sh", ["-c", "umask 0; exec \"$@\"", "-"] + command)
    #expect(result.status == 0, "\(arguments): \(result.errors)")
  }

  /// Lets a gateway write its metrics file.
  private func writeMetrics(_ path: String) async throws {
    let gateway = Process()
    gateway.executableURL = URL(filePath: "/bin/sh")
    let arguments = ["run", "--wait", "--bus", "none", "--metrics", path, "--store", store]
    gateway.arguments = ["-c", "umask 0; exec \"$@\"", "-", Command.hrgate.path] + arguments
    gateway.environment = ProcessInfo.processInfo.environment.merging(Command.withoutBus(folder)) { $1 }
    gateway.standardOutput = FileHandle.nullDevice
    gateway.standardError = FileHandle.nullDevice
    try gateway.run()
    #expect(await eventually { FileManager.default.fileExists(atPath: path) })
    gateway.terminate()
    gateway.waitUntilExit()
  }

  private func files(_ tests: String..., as user: [String] = ["env"]) throws -> [String] {
    // Unreadable folders are reported on standard error.
    try Command.tool(user[0], user.dropFirst() + ["find", folder.url.path, "-type", "f"] + tests).lines
  }

  @Test(.enabled(if: canBeOther, "only an administrator can act as another user"))
  func `another user can read no store, backup, export or synced file`()
    async throws
  {
    let input = try TemporaryFolder()
    _ = try Command.hrgate("simulate", "--duration", "60s", "-o", input.path("beats.btsnoop"))
    try hrgate("replay", input.path("beats.btsnoop"))
    try hrgate("store", "backup", folder.path("backup.sqlite"))
    try hrgate("store", "recover", folder.path("recovered.sqlite"))
    try hrgate("store", "vacuum")
    try hrgate("store", "restore", folder.path("backup.sqlite"))
    for format in ["csv", "ndjson", "apple-health-xml"] {
      try hrgate("export", "--format", format, "-o", folder.path("out.\(format)"))
    }
    try hrgate("export", "--format", "rr", "--for", "kubios", "-o", folder.path("out.rr"))
    try await writeMetrics(folder.path("hrgate.prom"))
    try hrgate("sync", "add", "files", "file://\(folder.path("carried"))")
    try hrgate("sync", "run", "--once")
    // While the store is open, it has a write-ahead log and shared memory.
    let open = try HKHealthStore(storeAt: store)
    try await open.acting(as: HKSource(name: "s", bundleIdentifier: "s")).save(
      HKQuantitySample(
        type: HKQuantityType(.heartRate),
        quantity: HKQuantity(unit: HKUnit(from: "count/min"), doubleValue: 60), start: .now, end: .now))
    let files = try files()
    let names = [
      "s.sqlite", "s.sqlite-wal", "s.sqlite-shm", "s.sqlite.before-restore", "backup.sqlite",
      "recovered.sqlite", "out.csv", "out.ndjson", "out.apple-health-xml", "out.rr", "hrgate.prom",
    ]
    for name in names { #expect(files.contains(folder.path(name)), "\(name)") }
    #expect(files.contains { $0.hasPrefix(folder.path("carried/")) })
    #expect(try self.files("-readable", as: Self.other) == [])
    #expect(try self.files("-writable", as: Self.other) == [])
    withExtendedLifetime(open) {}
  }

  /// Holds more connections than the page serves, and waits until the page has closed each of them. A page
  /// that admits them closes them after a minute. Then opens and closes many connections.
  private static let flood = """
    for ((i = 0; i < 300; i++)); do exec {one}<>/dev/tcp/127.0.0.1/$0 && held+=($one) || exit 2; done
    for one in "${held[@]}"; do read -r -t 30 -u $one; [ $? = 1 ] || exit 3; done
    for ((i = 0; i < 3000; i++)); do exec 3<>/dev/tcp/127.0.0.1/$0 && exec 3>&- || exit 4; done
    """

  /// Returns the CPU time that a process has used, in seconds.
  private static func time(of process: Int32) throws -> Double {
    let text = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
    // Skip the name of the program, which may contain spaces. The next field is the state of the process.
    let end = try #require(text.lastIndex(of: ")"))
    let fields = text[end...].split(separator: " ")
    let ticks = try #require(Double(fields[12])) + #require(Double(fields[13]))
    return ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  /// Closed connections stay in the kernel's table, which a server must not search for each new connection.
  /// The test measures the CPU time of the server, because elapsed time depends on the load of the machine.
  @Test(.enabled(if: canBeOther, "only an administrator can act as another user"))
  func `another user's connections are closed at little cost, and the owner's are served`() async throws {
    try hrgate("goals", "set", "activeEnergyBurned", "500")
    let runtime = try TemporaryFolder()
    var environment = Command.withoutBus(runtime)
    environment["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=\(runtime.path("none"))"
    environment["XDG_RUNTIME_DIR"] = runtime.url.path
    let page = try await RunningPage(store, environment, runtime)
    let before = try Self.time(of: page.process.processIdentifier)
    let flood = Process()
    flood.executableURL = Command.path(of: Self.other[0])
    flood.arguments = Array(Self.other.dropFirst()) + ["bash", "-c", Self.flood, "\(page.client.port)"]
    try flood.run()
    defer { if flood.isRunning { flood.terminate() } }
    var served = 0
    repeat {
      #expect(try await page.client.get("/api/session").status == 200)
      served += 1
      try await Task.sleep(for: .milliseconds(20))
    } while flood.isRunning
    #expect(flood.terminationStatus == 0)
    // The server accepts connections in their order, so it has seen all others before this one.
    #expect(try await page.client.get("/api/session").status == 200)
    let cost = (try Self.time(of: page.process.processIdentifier) - before) / Double(3300 + served)
    // A lookup takes a fraction of a millisecond, and a search of the table more than 20.
    #expect(cost < 0.005, "\(cost) s for each connection")
    #expect(page.interrupt() == 0)
    withExtendedLifetime(runtime) {}
  }
}
