import HealthStorage

/// Asks for what was added and deleted since an anchor.
public struct HKAnchoredObjectQueryDescriptor<Sample: HKSample>: Sendable {
  /// What happened, and where to go on.
  public struct Result: Sendable {
    public let addedSamples: [Sample]
    public let deletedObjects: [HKDeletedObject]
    public let newAnchor: HKQueryAnchor
  }

  public var predicates: [HKSamplePredicate<Sample>]
  /// nil for everything from the beginning.
  public var anchor: HKQueryAnchor?
  /// Additions and deletions together; nil for no limit.
  public var limit: Int?

  public init(predicates: [HKSamplePredicate<Sample>], anchor: HKQueryAnchor?, limit: Int? = nil) {
    self.predicates = predicates
    self.anchor = anchor
    self.limit = limit
  }

  /// One snapshot of the store. A sample that was added and deleted since the anchor is reported as deleted.
  /// - Throws: `HKError`; `CancellationError` if the task is cancelled.
  public func result(for store: HKHealthStore) async throws -> Result {
    let question = try AnchoredQuestion(
      predicates.map { (type: $0.sampleType, filter: try $0.filter) }, anchor, limit)
    let changes = try await store.changes(question)
    return Result(
      addedSamples: changes.added.compactMap { $0 as? Sample }, deletedObjects: changes.deleted,
      newAnchor: changes.anchor)
  }
}
