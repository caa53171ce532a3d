package import Foundation
package import HealthSystem

/// What the page knows of monitors. Where it comes from is the business of whoever serves the page: a gateway
/// on a bus, one in the same program, or the registry alone. The page knows no bus and no radio.
package struct PageMonitors: Sendable {
  /// How the monitors of a store stand; of the person whose store it is, where that is not the owner's.
  package var report: @Sendable (SystemStore, _ person: String?) async throws -> MonitorReport
  /// What is missing of what monitors sent, in order of time.
  package var gaps: @Sendable (SystemStore, DateInterval) async throws -> [GapReport]
  /// Ticks when a gateway tells something new, for one reader.
  package var changes: @Sendable () -> AsyncStream<Void>

  package init(
    report: @escaping @Sendable (SystemStore, _ person: String?) async throws -> MonitorReport,
    gaps: @escaping @Sendable (SystemStore, DateInterval) async throws -> [GapReport],
    changes: @escaping @Sendable () -> AsyncStream<Void>
  ) {
    (self.report, self.gaps, self.changes) = (report, gaps, changes)
  }
}

/// What is not known is absent.
package struct MonitorReport: Codable, Sendable, Hashable {
  package struct Gateway: Codable, Sendable, Hashable {
    package var isRunning: Bool
    /// Whether it can be asked.
    package var onBus: Bool
    package var summary: String?
    package var storeFailure: String?
    package var measurements: UInt64?
    package var stored: UInt64?
    package var duplicates: UInt64?
    package var rejected: UInt64?
    package var waiting: UInt64?

    package init(isRunning: Bool, onBus: Bool) { (self.isRunning, self.onBus) = (isRunning, onBus) }
  }

  /// The last intervals between beats, as they came.
  package struct Beats: Codable, Sendable, Hashable {
    /// How many came in this run of the gateway: by it one tells which of them are new.
    package var count: UInt64
    /// When the last of them was received.
    package var time: Date
    /// Milliseconds, oldest first.
    package var rr: [Double]

    package init(count: UInt64, time: Date, rr: [Double]) {
      (self.count, self.time, self.rr) = (count, time, rr)
    }
  }

  package struct Monitor: Codable, Sendable, Hashable {
    package var address: String
    /// As its samples name it.
    package var source: String
    package var name: String?
    package var state: String?
    package var detail: String?
    package var advice: String?
    package var adapter: String?
    /// Percent.
    package var battery: Int?
    package var isBonded = false
    package var enrolled: Date?
    package var lastSeen: Date?
    /// Beats per minute, as last sent.
    package var heartRate: Int?
    /// When that was received.
    package var time: Date?
    /// How old it is, in seconds.
    package var age: Double?
    package var contact: Bool?
    package var beats: Beats?
    package var measurements: UInt64?
    /// Where on the body.
    package var body: String?
    package var manufacturer: String?
    package var model: String?
    package var firmware: String?

    package init(address: String, source: String) { (self.address, self.source) = (address, source) }
  }

  package var gateway: Gateway
  /// In the order in which they were enrolled.
  package var monitors: [Monitor]

  package init(_ gateway: Gateway, _ monitors: [Monitor]) {
    (self.gateway, self.monitors) = (gateway, monitors)
  }
}

/// A time in which nothing of a monitor arrived.
package struct GapReport: Codable, Sendable, Hashable {
  package var monitor: String
  /// As the monitor's samples name it.
  package var source: String
  package var name: String?
  package var start: Date
  /// Absent while it lasts.
  package var end: Date?
  /// As the store has it.
  package var cause: String
  /// For people.
  package var text: String

  package init(
    monitor: String, source: String, name: String?, start: Date, end: Date?, cause: String, text: String
  ) {
    (self.monitor, self.source, self.name) = (monitor, source, name)
    (self.cause, self.text) = (cause, text)
    (self.start, self.end) = (start, end)
  }
}
