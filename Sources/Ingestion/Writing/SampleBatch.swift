package import BluetoothCentral
package import HealthKit
package import HealthStorage

/// What is committed together: samples of several monitors, each under its own source, and what became of the
/// monitors.
package struct SampleBatch: Sendable {
  typealias Group = (source: HKSource, monitor: AddressRecord?, samples: [HKSample])

  var groups: [Group]
  package var changes: MonitorChangesRecord
  /// Of heart rates that may be stored under the identity that an earlier version gave them, which that is.
  var earlierIdentities: [UUID: UUID] = [:]

  /// What became of a batch that was committed.
  package struct Outcome: Sendable {
    /// New samples, by type identifier.
    var stored: [String: Int] = [:]
    /// Heart rates that were in the store already.
    var duplicates = 0
  }

  /// How many samples and gaps there are.
  package var count: Int { groups.reduce(changes.gaps.count) { $0 + $1.samples.count } }

  package var heartRates: Int { groups.reduce(0) { $0 + $1.samples.count(where: \.isHeartRate) } }

  /// Commits all of it or nothing.
  ///
  /// All of it is taken to be new, which costs nothing for a new recording. Only if the store knows some of
  /// the samples already is it asked which, and the rest is saved.
  /// - Throws: The store's error.
  package func save(to store: HKHealthStore) async throws -> Outcome {
    let batch = try await withoutEarlier(in: store)
    var outcome = try await batch.saveUnderOwnIdentities(to: store)
    outcome.duplicates += heartRates - batch.heartRates
    return outcome
  }

  /// Without what an earlier version stored. Nothing stores a sample under such an identity any more, so that
  /// what is not there now will not be there at the save.
  func withoutEarlier(in store: HKHealthStore) async throws -> SampleBatch {
    guard let span = spanOfEarlier else { return self }
    let stored = try await store.storedUUIDs(
      among: Array(earlierIdentities.values), of: SampleTypes.heartRate, during: span)
    guard !stored.isEmpty else { return self }
    var batch = self
    for place in batch.groups.indices {
      batch.groups[place].samples.removeAll { sample in
        earlierIdentities[sample.uuid].map(stored.contains) ?? false
      }
    }
    return batch
  }

  /// The starts of those that may be stored under another identity.
  private var spanOfEarlier: ClosedRange<Date>? {
    guard !earlierIdentities.isEmpty else { return nil }
    let starts = groups.lazy.flatMap(\.samples).filter { earlierIdentities[$0.uuid] != nil }.map(\.startDate)
    guard let first = starts.min(), let last = starts.max() else { return nil }
    return first...last
  }

  private func saveUnderOwnIdentities(to store: HKHealthStore) async throws -> Outcome {
    do {
      return Self.outcome(of: groups, try await store.saveReporting(groups.forStore, with: changes))
    } catch let error as DuplicateObjects {
      var seen = try await store.storedUUIDs(among: error.uuids)
      let fresh: [Group] = groups.map { group in
        (group.source, group.monitor, group.samples.filter { seen.insert($0.uuid).inserted })
      }
      let saved = try await store.saveReporting(fresh.forStore, with: changes)
      var outcome = Self.outcome(of: fresh, saved)
      outcome.duplicates = heartRates - SampleBatch(groups: fresh, changes: changes).heartRates
      return outcome
    }
  }

  private static func outcome(of groups: [Group], _ saved: SaveOutcome) -> Outcome {
    // Samples of one type come in runs; the types are few, their names are long.
    var counts: [(type: HKSampleType, count: Int)] = []
    for group in groups {
      for sample in group.samples {
        if counts.last?.type !== sample.sampleType { counts.append((sample.sampleType, 0)) }
        counts[counts.count - 1].count += 1
      }
    }
    var outcome = Outcome()
    for (type, count) in counts { outcome.stored[type.identifier, default: 0] += count }
    // Only series of beats carry a version, so what was ignored is one of them.
    if saved.ignored > 0 {
      outcome.stored[SampleTypes.beats, default: 0] -= saved.ignored
      if outcome.stored[SampleTypes.beats] == 0 { outcome.stored[SampleTypes.beats] = nil }
    }
    return outcome
  }
}

extension SampleBatch {
  /// What remains when the batch is given up: its gaps, those that its loss leaves, with how many heart rates
  /// are lost in each, and what was learnt of the monitors.
  ///
  /// Of a batch without samples only the gaps remain: what was learnt may be what the store does not take.
  package func remains(afterLossBy cause: GapCause) -> MonitorChangesRecord {
    MonitorChangesRecord(
      gaps: changes.gaps + gapsOfLoss(cause), statuses: groups.isEmpty ? [] : changes.statuses)
  }

  private func gapsOfLoss(_ cause: GapCause) -> [MonitorGapRecord] {
    groups.compactMap { group in
      let times = group.samples.filter(\.isHeartRate).map { $0.startDate.timeIntervalSince1970 }
      guard let monitor = group.monitor, let first = times.min(), let last = times.max() else { return nil }
      return MonitorGapRecord(
        monitor: monitor, start: Int64((first * 1e6).rounded()), end: Int64((last * 1e6).rounded()),
        cause: cause.rawValue, lost: times.count)
    }
  }
}

extension IngestionTally {
  package mutating func add(_ outcome: SampleBatch.Outcome) {
    stored.merge(outcome.stored, uniquingKeysWith: +)
    duplicates += outcome.duplicates
  }
}

extension [SampleBatch.Group] {
  fileprivate var forStore: [(source: HKSource, samples: [HKSample])] { map { ($0.source, $0.samples) } }
}

extension HKSample {
  fileprivate var isHeartRate: Bool { sampleType.identifier == SampleTypes.heartRate }
}
