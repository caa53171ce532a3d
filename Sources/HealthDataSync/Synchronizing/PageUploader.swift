import Foundation
import HealthKit
import HealthStorage
import Synchronization

/// Calls an external store and checks its results.
///
/// It converts all errors to `ExternalStoreError` or `CancellationError`, ignores rejections of records that
/// were not sent, and checks and updates the ``DestinationMarker``.
final class PageUploader: Sendable {
  /// The result of sending a page of changes: its records, and the marker that the destination stored with
  /// it.
  struct Sent: Sendable {
    var records: SentRecords
    var marker: SyncMarkerRecord?
  }

  private struct Mark {
    var marker: SyncMarkerRecord?
    /// Whether the open destination stores markers.
    var isHeld = false
  }

  let store: HKHealthStore
  private let external: any ExternalStore
  private let ledger: SyncLedger
  private let destination: SyncDestinationRecord
  private let mark = Mutex(Mark())

  init(
    _ store: HKHealthStore, to external: any ExternalStore, _ destination: SyncDestinationRecord,
    _ ledger: SyncLedger
  ) {
    self.store = store
    self.external = external
    self.destination = destination
    self.ledger = ledger
  }

  /// Opens the external store and checks its ``DestinationMarker``.
  ///
  /// - Throws: `ExternalStoreError`, also if the destination lost data; `SyncDestinationError.unknown` if the
  ///   destination was removed.
  func open() async throws {
    guard let state = try await ledger.state(of: destination.id) else {
      throw SyncDestinationError.unknown(destination.name)
    }
    var marker = state.marker
    let expected = DestinationMarker(id: marker.id, sequence: marker.sequence)
    let found = try await explaining { try await external.open(expecting: expected) }
    if let found {
      guard found >= marker.sequence ?? 0 else {
        throw ExternalStoreError.lostData(
          "the last page there is \(found), but page \(marker.sequence ?? 0) was sent")
      }
      // The destination may have a higher page number than the health store, if the process was killed after
      // sending a page and before recording that.
      let isNew = marker.sequence == nil
      marker.sequence = found
      if isNew { try await ledger.saveMarker(marker, of: destination.id) }
    }
    mark.withLock { $0 = Mark(marker: marker, isHeld: found != nil) }
  }

  /// Makes the external store discard cached information, because the user reset the destination.
  ///
  /// - Parameter marker: The new marker.
  func reset(_ marker: SyncMarkerRecord) async throws {
    try await explaining { try await external.reset() }
    mark.withLock { $0.marker = marker }
  }

  /// Closes the external store, even if the run was canceled.
  func close() async {
    mark.withLock { $0 = Mark() }
    let external = external
    // Close in another task: in a canceled one, the external store could not close its connection cleanly.
    await Task { await external.close() }.value
  }

  /// Returns why the destination never accepts samples of a type, or `nil` if it may accept them.
  func reasonToReject(_ type: HKSampleType) -> String? { external.reasonToReject(type) }

  /// Returns as soon as a retry is worthwhile, even before the delay has passed.
  func untilWorthRetrying() async { await external.untilWorthRetrying() }

  /// Sends a page of changes.
  ///
  /// - Parameter supersedes: Whether the destination may hold earlier versions of all samples.
  func upload(_ page: SampleChangePage, of type: HKSampleType, supersedes: Bool) async throws -> Sent {
    let marker = nextMarker
    let rejectedChanges = try await rejectedChanges(page, type, supersedes, marker)
    if !page.isEmpty, let marker { mark.withLock { $0.marker = marker } }
    var known = Set(page.unreadable.map(\.uuid))
    if !rejectedChanges.isEmpty { known.formUnion(page.added.map(\.uuid) + page.deleted.map(\.uuid)) }
    let reasons = Dictionary(
      (rejectedChanges.filter { !$0.isPermanent }.map { ($0.uuid, $0.reason) }
        + page.unreadable.map { ($0.uuid, $0.reason) }).filter { known.contains($0.0) },
      uniquingKeysWith: { first, _ in first })
    let rejections = rejectedChanges.filter {
      $0.isPermanent && known.contains($0.uuid) && reasons[$0.uuid] == nil
    }
    let rejected = Set(rejections.map(\.uuid))
    func isSent(_ uuid: UUID) -> Bool { reasons[uuid] == nil && !rejected.contains(uuid) }
    let added = page.added.map(\.uuid).filter(isSent)
    let deleted = page.deleted.map(\.uuid).filter(isSent)
    let records = SentRecords(
      type: type.identifier, sent: added.count, deleted: deleted.count, settled: added + deleted + rejected,
      refused: reasons.map { ($0.key, $0.value) },
      rejected: Dictionary(grouping: rejections, by: \.reason).mapValues { Set($0.map(\.uuid)).count },
      time: Microseconds.clamped(Date()))
    return Sent(records: records, marker: page.isEmpty ? nil : marker)
  }

  private var nextMarker: SyncMarkerRecord? {
    mark.withLock { mark in
      guard mark.isHeld, var marker = mark.marker else { return nil }
      marker.sequence = (marker.sequence ?? 0) + 1
      return marker
    }
  }

  private func rejectedChanges(
    _ page: SampleChangePage, _ type: HKSampleType, _ supersedes: Bool, _ marker: SyncMarkerRecord?
  ) async throws -> [RejectedChange] {
    guard !page.isEmpty else { return [] }
    let hasPanels = destination.includes(HKCorrelationTypeIdentifier.bloodPressure.rawValue)
    let changes = ChangePage(
      type: type, deleted: page.deleted,
      added: page.added.map {
        ExternalRecord(
          $0, supersedes: supersedes || page.changed.contains($0.uuid),
          isInBloodPressure: hasPanels && page.members.contains($0.uuid))
      }, marker: marker.map { DestinationMarker(id: $0.id, sequence: $0.sequence) })
    return try await explaining { try await external.upload(changes) }
  }

  private func explaining<Value>(_ work: () async throws -> Value) async throws -> Value {
    do {
      return try await work()
    } catch {
      if Task.isCancelled { throw CancellationError() }
      throw ExternalStoreError(explaining: error)
    }
  }
}

extension SampleChangePage {
  /// Whether there is nothing to send.
  fileprivate var isEmpty: Bool { deleted.isEmpty && added.isEmpty }
}
