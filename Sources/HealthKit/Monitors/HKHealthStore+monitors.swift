import HealthStorage

// The gateway's own: which monitors it follows, and when nothing arrived from them. A program has no part in it: each of
// these throws errorAuthorizationDenied for any handle but the system's.

extension HKHealthStore {
  /// The enrolled monitors, in the order in which they were enrolled.
  package func monitors() async throws -> [MonitorEntry] {
    try await HKError.translating { try await systemDatabase().monitors().map(MonitorEntry.init) }
  }

  /// How often each enrolled monitor was enrolled.
  package func monitorRevisions() async throws -> [MonitorAddress: Int] {
    try await HKError.translating {
      let revisions = try await systemDatabase().monitorRevisions()
      return Dictionary(revisions.map { (MonitorAddress($0), $1) }) { first, _ in first }
    }
  }

  package func monitor(_ address: MonitorAddress) async throws -> MonitorEntry? {
    try await HKError.translating {
      try await systemDatabase().monitor(address.record).map(MonitorEntry.init)
    }
  }

  /// Enrols a monitor, or changes what is kept of it: the time of the first enrolment stays, and so does what is nil now.
  package func enrol(_ monitor: MonitorEntry) async throws {
    try await HKError.translating { try await systemDatabase().enrol(monitor.record) }
  }

  /// Keeps what was learnt of an enrolled monitor; times only move forward.
  /// - Returns: whether it is enrolled; if not, nothing is kept.
  package func update(_ status: MonitorStatus) async throws -> Bool {
    try await HKError.translating { try await systemDatabase().update(status.record) }
  }

  /// Enrols a monitor no longer. Its samples and its gaps stay.
  /// - Returns: whether it was enrolled.
  package func forgetMonitor(_ address: MonitorAddress) async throws -> Bool {
    try await HKError.translating { try await systemDatabase().forgetMonitor(address.record) }
  }

  /// Gaps in the order in which they began.
  package func gaps(_ selection: MonitorGapSelection) async throws -> [MonitorGapEntry] {
    try await HKError.translating {
      try await systemDatabase().gaps(selection.filter).map(MonitorGapEntry.init)
    }
  }

  /// Makes this program the gateway of the store, until it ends or drops its last handle on the store.
  /// - Throws: errorDatabaseInaccessible, with the reason, where another program is.
  package func becomeGateway() throws {
    do {
      try systemDatabase().becomeGateway()
    } catch {
      throw HKError(error)
    }
  }

  /// Whether a program is the gateway of the store now.
  package var hasGateway: Bool {
    get throws { try systemDatabase().hasGateway }
  }

  /// A tick whenever something may have been committed, by this process or another; it says nothing of what.
  package func commits() throws -> AsyncStream<Void> {
    try systemDatabase().commits()
  }
}
