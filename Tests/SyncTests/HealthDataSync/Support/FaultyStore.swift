import Foundation
import HealthDataSync
import HealthKit
import Synchronization

@testable import TestSupport

/// An external store in memory with random failures, reproducible by a seed.
actor FaultyStore: ExternalStore {
  /// Probability of each failure, in percent.
  struct Faults {
    var opening = 0
    /// Probability that `reset()` fails.
    var resetting = 0
    /// Probability that a page fails before any record is stored.
    var before = 0
    /// Probability that a page fails after half of its records.
    var midway = 0
    /// Probability that a page is stored but the call fails, as if the program was killed before the
    /// acknowledgment.
    var after = 0
    /// Probability that a page is stored and then the run is cancelled.
    var cancelling = 0
  }

  private(set) var records: [UUID: ExternalRecord] = [:]
  /// Numbers of added and deleted records in the acknowledged pages.
  private(set) var acknowledged = (added: 0, deleted: 0)
  private(set) var pages: [ChangePage] = []
  private(set) var opened = 0
  private(set) var resets = 0
  private(set) var isOpen = false
  private(set) var markers: [UUID: Int64] = [:]
  private var holdsMarkers = true
  private var rejectsForGood: @Sendable (HKSample) -> Bool = { _ in false }
  private var faults = Faults()
  private var failure = ExternalStoreError("the server is away", outlook: .passing)
  private var generator: SeededGenerator
  private var refuses: @Sendable (UUID) -> Bool = { _ in false }
  private var fails: @Sendable (UUID) -> Bool = { _ in false }
  private var atCarry: (@Sendable (FaultyStore) async throws -> Void)?
  private var run: Task<Void, any Error>?
  private var watchers: [CheckedContinuation<Void, Never>] = []

  init(seed: UInt64 = 1) {
    generator = SeededGenerator(seed: seed)
  }

  func set(_ faults: Faults, failure: ExternalStoreError? = nil) {
    self.faults = faults
    if let failure { self.failure = failure }
  }

  func refuse(_ refuses: @escaping @Sendable (UUID) -> Bool) { self.refuses = refuses }
  /// Makes each page fail that contains a record for which the closure returns true. The page's records are
  /// not stored.
  func fail(_ fails: @escaping @Sendable (UUID) -> Bool) { self.fails = fails }
  /// Sets a closure that is called at the start of each page.
  func atCarry(_ body: (@Sendable (FaultyStore) async throws -> Void)?) { atCarry = body }
  func canCancel(_ run: Task<Void, any Error>?) { self.run = run }

  func open() async throws {
    opened += 1
    if isStruck(faults.opening) { throw failure }
    isOpen = true
  }

  func open(expecting marker: DestinationMarker?) async throws -> Int64? {
    try await open()
    guard holdsMarkers, let marker else { return nil }
    if let sequence = markers[marker.id] { return sequence }
    guard !marker.isExpected else {
      isOpen = false
      throw ExternalStoreError.lostData("it is empty")
    }
    markers[marker.id] = 0
    return 0
  }

  func close() async { isOpen = false }

  // MARK: - Losing data

  typealias Backup = (records: [UUID: ExternalRecord], markers: [UUID: Int64])

  var backup: Backup { (records, markers) }
  func restore(_ backup: Backup) { (records, markers) = backup }
  func lose() { restore(([:], [:])) }
  func holdNoMarkers() { holdsMarkers = false }

  // MARK: - Rejecting types

  private let rejectedTypes = Mutex<[HKSampleType: String]>([:])

  nonisolated func reasonToReject(_ type: HKSampleType) -> String? { rejectedTypes.withLock { $0[type] } }
  nonisolated func reject(_ types: [HKSampleType: String]) { rejectedTypes.withLock { $0 = types } }
  func rejectForGood(_ rejects: @escaping @Sendable (HKSample) -> Bool) { rejectsForGood = rejects }

  func reset() async throws {
    resets += 1
    if isStruck(faults.resetting) { throw failure }
  }

  func upload(_ page: ChangePage) async throws -> [RejectedChange] {
    try await atCarry?(self)
    try Task.checkCancellation()
    guard isOpen else { throw ExternalStoreError("it is not open", outlook: .lasting) }
    if isStruck(faults.before) { throw failure }
    pages.append(page)
    if page.added.contains(where: { fails($0.sample.uuid) }) { throw failure }
    let isCut = isStruck(faults.midway)
    for deleted in page.deleted { records[deleted.uuid] = nil }
    var rejections: [RejectedChange] = []
    for (place, record) in page.added.enumerated() {
      if isCut, place >= page.added.count / 2 { throw failure }
      if refuses(record.sample.uuid) {
        rejections.append(RejectedChange(uuid: record.sample.uuid, reason: "not of my kind"))
      } else if rejectsForGood(record.sample) {
        rejections.append(RejectedChange(uuid: record.sample.uuid, reason: "never", isPermanent: true))
      } else {
        records[record.sample.uuid] = record
      }
    }
    if isCut { throw failure }
    if let marker = page.marker { markers[marker.id] = max(markers[marker.id] ?? 0, marker.sequence ?? 0) }
    if isStruck(faults.cancelling) { run?.cancel() }
    if isStruck(faults.after) { throw failure }
    acknowledged.added += page.added.count - rejections.count
    acknowledged.deleted += page.deleted.count
    for watcher in watchers { watcher.resume() }
    watchers = []
    return rejections
  }

  var uuids: Set<UUID> { Set(records.keys) }

  /// Waits until the condition holds, and checks it after each page.
  func reach(_ condition: @Sendable (isolated FaultyStore) -> Bool) async {
    while !condition(self) { await withCheckedContinuation { watchers.append($0) } }
  }

  private func isStruck(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &generator) < percent }
}
