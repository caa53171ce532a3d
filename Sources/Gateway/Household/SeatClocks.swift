import Bluetooth
import Foundation
import HealthKit
import HealthSystem

/// The clocks with which runs on the stores of all people would begin.
struct SeatClocks: Sendable {
  private let people: People?
  private let patience: Duration
  private let open: @Sendable (String) throws -> MonitorRegistry

  init(
    _ people: People?, patience: Duration, open: @escaping @Sendable (String) throws -> MonitorRegistry
  ) {
    self.people = people
    self.patience = patience
    self.open = open
  }

  /// The clock that is ahead of the others: a store whose times go on from there is behind nothing that
  /// another holds. All are asked at once.
  ///
  /// - Parameter clock: The owner's.
  func latest(_ clock: ReceiptClock) async -> ReceiptClock {
    guard let people else { return clock }
    let stores = ((try? people.present()) ?? []).map { people.home.people.store(of: $0) }
    return await withTaskGroup(of: ReceiptClock?.self) { group in
      for store in stores { group.addTask { await self.clock(of: store) } }
      return await group.reduce(into: clock) { latest, clock in
        if let clock, clock.origin > latest.origin { latest = clock }
      }
    }
  }

  /// - Returns: `nil` where there is no store, or it does not say in time.
  private func clock(of store: String) async -> ReceiptClock? {
    guard FileManager.default.fileExists(atPath: store) else { return nil }
    let (answers, answer) = AsyncStream.makeStream(of: ReceiptClock?.self)
    // Neither is a child: what hangs is left behind.
    let asking = Task { [open] in
      let registry = try? await blocking { try open(store) }
      guard let registry, let monitors = try? await registry.monitors() else { return answer.finish() }
      answer.yield(try? await registry.clock(at: .now(), boot: ClockSetting.thisBoot, for: monitors).0)
    }
    let waiting = Task { [patience] in
      try? await Task.sleep(for: patience)
      answer.finish()
    }
    defer {
      asking.cancel()
      waiting.cancel()
    }
    return await answers.first { _ in true } ?? nil
  }
}
