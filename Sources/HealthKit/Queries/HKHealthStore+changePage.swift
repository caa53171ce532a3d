import Foundation
package import HealthStorage

/// Some changes of one type, as they go to another store: with the beats and quantities that a query leaves
/// behind.
package struct SampleChangePage: Sendable {
  package var added: [HKSample]
  package var deleted: [HKDeletedObject]
  /// Samples that this version cannot read, with the reason.
  package var unreadable: [(uuid: UUID, reason: String)]
  /// Of the samples, those that may have been changed in their place since they were stored.
  package let changed: Set<UUID>
  /// Of the samples, those that belong to a blood pressure.
  package let members: Set<UUID>
  /// Of the changes in place that the page knows of.
  package let revision: Int64
  /// Where the next page begins.
  package let end: ChangeLogPlace
  /// Whether there were no more.
  package let isLast: Bool
  /// The place that was asked for is in another store's log: the page is the first of all.
  package let startsAnew: Bool
}

extension HKHealthStore {
  /// The changes of a type since a place in the history of the store, as an anchored query answers them, as
  /// many as the limit lets through.
  /// - Throws: `HKError`, as a read of the type does.
  package func changePage(
    of type: HKSampleType, _ filter: SampleFilter, after place: ChangeLogPlace?, _ limit: ChangePageLimit
  ) async throws -> SampleChangePage {
    try await HKError.translating {
      SampleChangePage(
        try await admit(.read([type])).changePage(
          type.identifier, filter, after: place, limit, membersOf: type.panel,
          assembledBy: AssembledSample.assembler))
    }
  }

  /// How many changes that are.
  package func changeCount(
    of type: HKSampleType, _ filter: SampleFilter, after place: ChangeLogPlace?
  ) async throws -> Int {
    try await HKError.translating {
      try await admit(.read([type])).changeCount(type.identifier, filter, after: place)
    }
  }

  /// Returns how many samples of a type a filter lets through.
  package func sampleCount(of type: HKSampleType, _ filter: SampleFilter) async throws -> Int {
    try await HKError.translating {
      try await admit(.read([type])).changeCount(
        type.identifier, filter, after: nil, countsDeletions: false)
    }
  }

  /// Whether there are any, without counting them.
  package func hasChange(
    of type: HKSampleType, _ filter: SampleFilter, after place: ChangeLogPlace?
  ) async throws -> Bool {
    try await HKError.translating {
      try await admit(.read([type])).hasChange(type.identifier, filter, after: place)
    }
  }

  /// Samples of a type as a page of changes has them, and as deleted those whose deletion lies before a place
  /// in the history.
  package func changePage(
    of type: HKSampleType, with uuids: Set<UUID>, upTo place: ChangeLogPlace
  ) async throws -> SampleChangePage {
    try await HKError.translating {
      SampleChangePage(
        try await admit(.read([type])).changePage(
          uuids, upTo: place, membersOf: type.panel, assembledBy: AssembledSample.assembler))
    }
  }

  /// What is kept of where this handle's owner has changes carried to.
  /// - Throws: errorAuthorizationDenied for a program without the entitlement; errorDatabaseInaccessible.
  package func syncLedger() throws -> SyncLedger {
    try HKError.translating {
      SyncLedger(try admit(.authorization), of: try authority.application?.bundleIdentifier)
    }
  }
}

extension HKSampleType {
  /// The type of correlations whose members samples of this type can be; nil if there is none that matters
  /// elsewhere.
  fileprivate var panel: String? {
    switch HKQuantityTypeIdentifier(rawValue: identifier) {
    case .bloodPressureSystolic, .bloodPressureDiastolic: HKCorrelationTypeIdentifier.bloodPressure.rawValue
    default: nil
    }
  }
}

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
    startsAnew = page.startsAnew
    for assembled in page.added {
      switch assembled {
      case .sample(let sample): added.append(sample)
      case .unreadable(let uuid, let reason): unreadable.append((uuid, reason))
      }
    }
  }
}

extension HKQuantitySample {
  /// The quantities of a series that was read together with them, in the sample's own unit; else nil.
  package var seriesQuantities: [SeriesQuantity]? {
    series?.quantities.flatMap { QuantitySeriesCodec.decode($0, from: interval.startMicroseconds) }
  }
}

extension SeriesQuantity {
  /// When it was measured.
  package var dateInterval: DateInterval { DateInterval(self) }
}
