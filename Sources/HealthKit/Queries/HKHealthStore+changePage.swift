import Foundation
package import HealthStorage

/// A page of changes of one type, for synchronization with another store. Unlike query results, the samples
/// include the beats and quantities of series.
package struct SampleChangePage: Sendable {
  package var added: [HKSample]
  package var deleted: [HKDeletedObject]
  /// Samples that this version cannot read, with the reason.
  package var unreadable: [(uuid: UUID, reason: String)]
  /// The samples that may have been modified in place since they were stored.
  package let changed: Set<UUID>
  /// The samples that belong to a blood pressure correlation.
  package let members: Set<UUID>
  /// The revision of in-place modifications that the page includes.
  package let revision: Int64
  /// The start of the next page.
  package let end: ChangeLogPlace
  /// Whether this is the last page.
  package let isLast: Bool
  /// Whether the requested position belongs to the log of another store, so that this is the first page from
  /// the beginning.
  package let startsAnew: Bool
}

extension HKHealthStore {
  /// Returns the changes of a type since a position in the change log, up to the limit, as an anchored query
  /// would.
  /// - Throws: `HKError` if the type may not be read.
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

  /// Returns the number of changes since a position.
  package func changeCount(
    of type: HKSampleType, _ filter: SampleFilter, after place: ChangeLogPlace?
  ) async throws -> Int {
    try await HKError.translating {
      try await admit(.read([type])).changeCount(type.identifier, filter, after: place)
    }
  }

  /// Returns the number of samples of a type that match a filter.
  package func sampleCount(of type: HKSampleType, _ filter: SampleFilter) async throws -> Int {
    try await HKError.translating {
      try await admit(.read([type])).changeCount(
        type.identifier, filter, after: nil, countsDeletions: false)
    }
  }

  /// Returns whether there are changes since a position, without counting them.
  package func hasChange(
    of type: HKSampleType, _ filter: SampleFilter, after place: ChangeLogPlace?
  ) async throws -> Bool {
    try await HKError.translating {
      try await admit(.read([type])).hasChange(type.identifier, filter, after: place)
    }
  }

  /// Returns samples of a type in the form of a page of changes. Samples deleted before a position in the
  /// change log are returned as deleted.
  package func changePage(
    of type: HKSampleType, with uuids: Set<UUID>, upTo place: ChangeLogPlace
  ) async throws -> SampleChangePage {
    try await HKError.translating {
      SampleChangePage(
        try await admit(.read([type])).changePage(
          uuids, upTo: place, membersOf: type.panel, assembledBy: AssembledSample.assembler))
    }
  }

  /// Returns the sync state of this handle's owner.
  /// - Throws: `HKError` errorAuthorizationDenied for a program without the entitlement;
  ///   errorDatabaseInaccessible.
  package func syncLedger() throws -> SyncLedger {
    try HKError.translating {
      SyncLedger(try admit(.authorization), of: try authority.application?.bundleIdentifier)
    }
  }
}

extension HKSampleType {
  /// The correlation type that can contain samples of this type. Nil if there is none that sync destinations
  /// treat specially.
  fileprivate var panel: String? {
    switch HKQuantityTypeIdentifier(rawValue: identifier) {
    case .bloodPressureSystolic, .bloodPressureDiastolic: HKCorrelationTypeIdentifier.bloodPressure.rawValue
    default: nil
    }
  }
}

/// A sample assembled from its record, or the reason why that failed.
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
  /// The quantities of a series, if they were read with the sample, in the unit of the sample; otherwise nil.
  package var seriesQuantities: [SeriesQuantity]? {
    series?.quantities.flatMap { QuantitySeriesCodec.decode($0, from: interval.startMicroseconds) }
  }
}

extension SeriesQuantity {
  /// When the quantity was measured.
  package var dateInterval: DateInterval { DateInterval(self) }
}
