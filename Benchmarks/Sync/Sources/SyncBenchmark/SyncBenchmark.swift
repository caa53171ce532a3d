import ExternalStores
import HealthDataSync
import HealthKit

/// Measures the upload of samples to PostgreSQL. Called by `Benchmarks/run sync`.
///
///     SyncBenchmark schema URL                      creates the schema, without data
///     SyncBenchmark carry COUNT URL [TIMES]         uploads existing heart rates, in pages of 10,000
///     SyncBenchmark fill COUNT PATH                 saves heart rates in a new health store
///     SyncBenchmark sync PATH URL                   uploads that store for the first time
///     SyncBenchmark load GATEWAYS STRAPS SECONDS INTERVAL URL
///         gateways that each upload their straps' samples for a number of seconds
///
/// Each prints CPU seconds, elapsed seconds, a count, and the peak memory in KiB.
@main enum SyncBenchmark {
  private static let page = 10_000

  static func main() async throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    switch (arguments.first, arguments.count) {
    case ("schema", 2):
      let store = try store(arguments[1])
      try await store.open()
      await store.close()
    case ("carry", 3), ("carry", 4):
      try await upload(
        number(arguments[1]), times: arguments.count == 4 ? number(arguments[3]) : 1, arguments[2])
    case ("fill", 3): try await fill(number(arguments[1]), arguments[2])
    case ("sync", 3): try await sync(arguments[1], arguments[2])
    case ("load", 6):
      try await Load(
        gateways: number(arguments[1]), straps: number(arguments[2]), seconds: number(arguments[3]),
        interval: number(arguments[4]), url: arguments[5]
      ).run()
    default: fatalError("usage: see SyncBenchmark.swift")
    }
  }

  static func store(_ url: String, gateway: String = "benchmark") throws -> PostgreSQLStore {
    PostgreSQLStore(
      address: try PostgreSQLAddress(parsing: url), secret: nil,
      identity: ExternalIdentity(person: "Ada", gateway: gateway))
  }

  private static func number(_ text: String) -> Int {
    guard let number = Int(text) else { fatalError("not a number: \(text)") }
    return number
  }

  /// - Parameter repetitions: The number of times that each page is uploaded.
  private static func upload(_ count: Int, times repetitions: Int, _ url: String) async throws {
    let store = try store(url)
    let rates = HeartRates(straps: 20)
    var times = Times()
    try await times.measure { try await store.open() }
    for from in stride(from: 0, to: count, by: page) {
      let page = rates.page(from..<min(from + page, count))
      for _ in 0..<repetitions {
        let rejections = try await times.measure { try await store.upload(page) }
        precondition(rejections.isEmpty)
      }
    }
    await store.close()
    print(times.processor, times.clock, count, peakMemory)
  }

  private static func healthStore(_ path: String) throws -> HKHealthStore {
    try HKHealthStore(configuration: .init(location: .file(path), decision: .everything))
  }

  private static func fill(_ count: Int, _ path: String) async throws {
    let store = try healthStore(path)
    let rates = HeartRates(straps: 20)
    for from in stride(from: 0, to: count, by: page) {
      try await store.save(rates.samples(from..<min(from + page, count)))
    }
  }

  private static func sync(_ path: String, _ url: String) async throws {
    let store = try healthStore(path)
    let identity = ExternalIdentity(person: "Ada", gateway: "benchmark")
    try await SyncDestinations(store).add(SyncDestination(name: "postgres", address: url, identity: identity))
    var times = Times()
    let external = try Self.store(url)
    try await times.measure { try await Synchronizer("postgres", of: store, to: external).runOnce() }
    print(times.processor, times.clock, 0, peakMemory)
  }
}
