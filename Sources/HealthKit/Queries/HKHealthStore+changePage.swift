import Foundation
package import HealthStorage

/// A page of changes of one type, for synchronization with another store. Unlike the results of queries, the
/// samples include their beats and series quantities.
package struct SampleChangePage: Sendable {
  package var added: [HKSample]
  package var deleted: [HKDeletedObject]
  /// Samples that this version cannot read, with the reason.
  package var unreadable: [(uuid: UUID, reason: String)]
  /// The UUIDs of the samples in `added` that may have been modified since they were stored.
  package let changed: Set<UUID>
  /// The UUIDs of the samples in `added` that are part of a blood pressure correlation.
  package let members: Set<UUID>
  /// The number of the latest modification of stored samples when the page was read. If the store has a
  /// higher number now, samples of the page may have been modified since.
  package let revision: Int64
  /// The change log position at which the next page starts.
  package let end: ChangeLogCursor
  /// Whether this is the last page.
  package let isLast: Bool
  /// Whether this page starts at the beginning of the change log, because the requested position belongs to
  /// the log of another store.
  package let restarts: Bool
}

extension HKHealthStore {
  /// Returns the changes of a type after a change log position, up to the limit, as an anchored query would.
  /// - Throws: `HKError` if the type may not be read.
  package func changePage(
    of type: HKSampleType, _ filter: SampleFilter, after cursor: ChangeLogCursor?, _ limit: ChangePageLimit
  ) async throws -> SampleChangePage {
    try await HKError.translating {
      SampleChangePage(
        try await admit(.read([type])).changePage(
          type.identifier, filter, after: cursor, limit, membersOf: type.panel,
          assembledBy: AssembledSample.assembler))
    }
  }

  /// Returns the number of changes after a change log position.
  package func changeCount(
    of type: HKSampleType, _ filter: SampleFilter, after cursor: ChangeLogCursor?
  ) async throws -> Int {
    try await HKError.translating {
      try await admit(.read([type])).changeCount(type.identifier, filter, after: cursor)
    }
  }

  /// Returns the number of samples of a type that match a filter.
  package func sampleCount(of type: HKSampleType, _ filter: SampleFilter) async throws -> Int {
    try await HKError.translating {
      try await admit(.read([type])).changeCount(
        type.identifier, filter, after: nil, countsDeletions: false)
    }
  }

  /// Returns whether there are changes after a change log position, without counting them.
  package func hasChange(
    of type: HKSampleType, _ filter: SampleFilter, after cursor: ChangeLogCursor?
  ) async throws -> Bool {
    try await HKError.translating {
      try await admit(.read([type])).hasChange(type.identifier, filter, after: cursor)
    }
  }

  /// Returns certain samples of a type in the form of a page of changes. Samples deleted before a change log
  /// position are returned as deleted.
  package func changePage(
    of type: HKSampleType, with uuids: Set<UUID>, upTo cursor: ChangeLogCursor
  ) async throws -> SampleChangePage {
    try await HKError.translating {
      SampleChangePage(
        try await admit(.read([type])).changePage(
          uuids, upTo: cursor, membersOf: type.panel, assembledBy: AssembledSample.assembler))
    }
  }

  /// Returns access to the sync destinations of this handle's user or program, and to the records of the
  /// samples that were sent to them.
  /// - Throws: `HKError` errorAuthorizationDenied for a program without the entitlement;
  ///   errorDatabaseInaccessible.
  package func syncLedger() throws -> SyncLedger {
    try HKError.translating {
      SyncLedger(try admit(.authorization), of: try authority.application?.bundleIdentifier)
    }
  }
}

extension HKSampleType {
  /// The identifier of the blood pressure correlation if samples of this type are its values. Nil for all
  /// other types.
  fileprivate var panel: String? {
    switch HKQuantityTypeIdentifier(rawValue: identifier) {
    case .bloodPressureSystolic, .bloodPressureDiastolic: HKCorrelationTypeIdentifier.bloodPressure.rawValue
    default: nil
    }
  }
}

/// A sample created from its record, or the reason why it could not be created.
private enum AssembledSample: Sendable {
  case sample(HKSample)
  case unreadable(UUID, reason: String)

  @Sendable static func assembler() -> (SampleRecord) -> AssembledSample {
    var assembly = SampleAssembly()
    return { record in
      do {
        return .sample(try assembly.sample(record))
      } catch {
        return .unreadable(
          record.uuid, reason: "this version cannot read the sample: \(HKError(error).reason)")
      }
    }
  }
}

extension SampleChangePage {
  fileprivate init(_ page: ChangeLogPage<AssembledSample>) {
    added = []
    added.reserveCapacity(page.added.count)
    unreadable = page.damaged.map { ($0, "the sample's row in the store is damaged") }
    deleted = page.deleted.map(HKDeletedObject.init)
    changed = page.changed
    members = page.members
    revision = page.revision
    end = page.end
    isLast = page.isLast
    restarts = page.restarts
    for assembled in page.added {
      switch assembled {
      case .sample(let sample): added.append(sample)
      case .unreadable(let uuid, let reason): unreadable.append((uuid, reason))
      }
    }
  }
}

extension HKQuantitySample {
  /// The quantities of a series in the unit of the sample, or nil if they were not read with the sample.
  package var seriesQuantities: [SeriesQuantity]? {
    series?.quantities.flatMap { QuantitySeriesCodec.decode($0, from: interval.startMicroseconds) }
  }
}

extension SeriesQuantity {
  /// The time at which the quantity was measured.
  package var dateInterval: DateInterval { DateInterval(self) }
}
