import Bluetooth
import Foundation
import HealthKit
import HealthSystem

/// Determines the latest of the receipt clocks with which the gateways of all people would start.
struct ClientClocks: Sendable {
  private let people: People?
  private let timeout: Duration
  private let open: @Sendable (String) throws -> MonitorRegistry

  init(
    _ people: People?, timeout: Duration, open: @escaping @Sendable (String) throws -> MonitorRegistry
  ) {
    self.people = people
    self.timeout = timeout
    self.open = open
  }

  /// Returns the receipt clock that is furthest ahead, so that no store gets receipt times earlier than those
  /// it already has. Reads all stores concurrently.
  ///
  /// - Parameter clock: The receipt clock for the store of the user of this account.
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

  /// Returns the receipt clock with which the gateway of the store at a path would start.
  ///
  /// - Returns: `nil` if the store does not exist or cannot be read in time.
  private func clock(of store: String) async -> ReceiptClock? {
    guard FileManager.default.fileExists(atPath: store) else { return nil }
    let (answers, answer) = AsyncStream.makeStream(of: ReceiptClock?.self)
    // Not child tasks, so that this function can return even if a store hangs.
    let asking = Task { [open] in
      let registry = try? await blocking { try open(store) }
      guard let registry, let monitors = try? await registry.monitors() else { return answer.finish() }
      answer.yield(try? await registry.clock(at: .now(), boot: ClockSetting.thisBoot, for: monitors).0)
    }
    let waiting = Task { [timeout] in
      try? await Task.sleep(for: timeout)
      answer.finish()
    }
    defer {
      asking.cancel()
      waiting.cancel()
    }
    return await answers.first { _ in true } ?? nil
  }
}
