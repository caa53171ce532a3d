import ExternalStores
import Foundation
import HealthDataSync

/// Many gateways that upload at the same time, each with its own connection.
struct Load {
  let gateways: Int
  let straps: Int
  let seconds: Int
  /// Seconds between uploads.
  let interval: Int
  let url: String

  /// Prints the number of samples, the seconds, and the delays between the due time and the commit.
  func run() async throws {
    let opened = try await open()
    let begin = ContinuousClock.now + .seconds(1)
    let time = Date() + 1
    let delays = try await withThrowingTaskGroup(of: [Duration].self) { group in
      for (number, store) in opened.enumerated() {
        group.addTask { try await drive(store, number, begin, time) }
      }
      return try await group.reduce(into: []) { $0 += $1 }.sorted()
    }
    let elapsed = (ContinuousClock.now - begin) / .seconds(1)
    for store in opened { await store.close() }
    guard !delays.isEmpty else { return }
    func delay(_ part: Double) -> Double { delays[Int(Double(delays.count - 1) * part)] / .milliseconds(1) }
    let rows = delays.count * straps * interval
    print(
      "gateways \(gateways) straps \(straps) pages \(delays.count)",
      "rows/s \(Int(Double(rows) / elapsed)) of \(gateways * straps)",
      "p50 \(Int(delay(0.5))) ms p99 \(Int(delay(0.99))) ms max \(Int(delay(1))) ms")
  }

  /// Connects a few at a time, as after a power failure.
  private func open() async throws -> [PostgreSQLStore] {
    var opened: [PostgreSQLStore] = []
    for from in stride(from: 0, to: gateways, by: 50) {
      opened += try await withThrowingTaskGroup(of: PostgreSQLStore.self) { group in
        for number in from..<min(from + 50, gateways) {
          group.addTask {
            let store = PostgreSQLStore(
              address: try PostgreSQLAddress(parsing: url), secret: nil,
              identity: ExternalIdentity(person: "person \(number)", gateway: "gateway \(number)"))
            try await store.open()
            // Insert now what only the first upload inserts (origins, and the month's partition), because the
            // measured uploads are later ones.
            _ = try await store.upload(HeartRates(straps: straps).page(0..<straps, from: Date() - 60))
            return store
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
    }
    return opened
  }

  private func drive(
    _ store: PostgreSQLStore, _ number: Int, _ begin: ContinuousClock.Instant, _ time: Date
  ) async throws -> [Duration] {
    let rates = HeartRates(straps: straps)
    // Spread the gateways over the interval: they are not synchronized.
    let offset = Duration.milliseconds(number * 1000 * interval / gateways)
    var delays: [Duration] = []
    for second in stride(from: 0, to: seconds, by: interval) {
      let due = begin + offset + .seconds(second)
      try await Task.sleep(until: due, clock: .continuous)
      let page = rates.page(0..<straps * interval, from: time + Double(second))
      _ = try await store.upload(page)
      delays.append(ContinuousClock.now - due)
    }
    return delays
  }
}
