import Foundation
import Testing

@testable import TestSupport

/// Tests that export and import need constant memory: years of data take as much as weeks.
@Suite struct TransferMemoryTests {
  private static let generator = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../Benchmarks/make-apple-health-export").standardized.path
  /// Sizes of the imported files. The shorter one already fills all buffers.
  private static let megabytes = (short: 6, long: isLongRun ? 100 : 14)
  /// Allowed difference in KiB. It is less than the difference between the two files.
  private static let spread = 5 * 1024

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// - Returns: The maximum resident set size, in KiB.
  private func memory(of arguments: String...) throws -> Int {
    let measured = """
      import resource, subprocess, sys
      done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL)
      print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
      sys.exit(done.returncode)
      """
    let result = try Command.tool("python3", ["-c", measured, Command.hrgate.path] + arguments)
    try #require(result.status == 0, "\(result)")
    return try #require(Int(result.output.trimmingCharacters(in: .whitespacesAndNewlines)))
  }

  /// Measures the memory of an import of this size and of an export of its samples.
  private func thereAndBack(megabytes: Int) throws -> [Int] {
    let (text, store) = (folder.path("\(megabytes).xml"), folder.path("\(megabytes).sqlite"))
    try Command.tool("python3", [Self.generator, "\(megabytes)"]).output.write(
      toFile: text, atomically: false, encoding: .utf8)
    return [
      try memory(of: "import", text, "--store", store),
      try memory(of: "export", "--format", "apple-health-xml", "-o", text + ".back", "--store", store),
    ]
  }

  @Test func `a long export takes no more memory than a short one, there or back`() throws {
    let (short, long) = (
      try thereAndBack(megabytes: Self.megabytes.short), try thereAndBack(megabytes: Self.megabytes.long)
    )
    for (short, long) in zip(short, long) {
      #expect(long < short + Self.spread, "\(short) KiB, and of more \(long) KiB")
      #expect(long < 100 * 1024)
    }
  }
  // MARK: - Destinations

  /// A kind of destination, if its server is installed.
  enum Destination: CaseIterable {
    case files, broker, database

    var isInstalled: Bool {
      switch self {
      case .files: true
      case .broker: Broker.isInstalled
      case .database: PostgreSQLServer.isInstalled
      }
    }
  }

  private func newDatabase() throws -> String {
    let server = try PostgreSQLServer.shared.get()
    let database = "memory_\(UUID().uuidString.prefix(8).lowercased())"
    _ = try server.psql("postgres", "CREATE DATABASE \(database)")
    return "postgresql://owner@/\(database)?host=\(server.folder.path)&port=\(server.port)"
  }

  /// Runs hrgate and returns the maximum of its anonymous memory, in KiB. Pages of the executable do not
  /// count: their number depends on how it was built.
  private func anonymousMemory(of arguments: String...) throws -> Int {
    let measured = """
      import subprocess, sys, time
      process, most = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL), 0
      while process.poll() is None:
          with open(f"/proc/{process.pid}/status") as status:
              most = max([most] + [int(line.split()[1]) for line in status if line.startswith("RssAnon")])
          time.sleep(0.01)
      print(most)
      sys.exit(process.returncode)
      """
    let result = try Command.tool("python3", ["-c", measured, Command.hrgate.path] + arguments)
    try #require(result.status == 0, "\(result)")
    return try #require(Int(result.output.trimmingCharacters(in: .whitespacesAndNewlines)))
  }

  /// The limit for a sync is 64 MB. The pages of a release build's executable take about 42 MB of it.
  @Test(arguments: Destination.allCases.filter(\.isInstalled))
  func `a sync takes a bounded amount of memory`(_ destination: Destination)
    async throws
  {
    let (text, store) = (folder.path("export.xml"), folder.path("store"))
    let broker = destination == .broker ? try await Broker() : nil
    let address =
      switch destination {
      case .files: "file://\(folder.path("files"))?format=ndjson"
      case .broker: "mqtt://127.0.0.1:\(broker?.port ?? 0)/"
      case .database: try newDatabase()
      }
    try Command.tool("python3", [Self.generator, "\(isLongRun ? 100 : 20)"]).output.write(
      toFile: text, atomically: false, encoding: .utf8)
    _ = try memory(of: "import", text, "--store", store)
    let added = try Command.hrgate("sync", "add", "d", address, "--store", store)
    try #require(added.status == 0, "\(added.errors)")
    let most = try anonymousMemory(of: "sync", "run", "--once", "--store", store)
    #expect(most < 20 * 1024, "\(most) KiB")
  }
}
