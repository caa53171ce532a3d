public import Foundation
import HealthStorage

/// A query that reads verifiable clinical records once. Each time it runs, the user chooses which matching
/// records the program may read.
// @unchecked: HKQuery is open. All state is `let`, Sendable or in a Mutex.
open class HKVerifiableClinicalRecordQuery: HKQuery, @unchecked Sendable {
  /// The arguments are the query, the records ordered by relevant date, and an error.
  public typealias ResultsHandler =
    @Sendable (HKVerifiableClinicalRecordQuery, [HKVerifiableClinicalRecord]?, (any Error)?) -> Void

  /// The credential types: raw values of `HKVerifiableClinicalRecordCredentialType`, or other strings. A
  /// record must have all of them.
  public let recordTypes: [String]
  public let sourceTypes: [HKVerifiableClinicalRecordSourceType]
  private let request: VerifiableClinicalRequest
  private let handler: ResultsHandler

  /// Creates a query for SMART Health Cards.
  @preconcurrency
  public convenience init(
    recordTypes: [String], predicate: NSPredicate?, resultsHandler handler: @escaping ResultsHandler
  ) {
    self.init(
      recordTypes: recordTypes, sourceTypes: [.smartHealthCard], predicate: predicate,
      resultsHandler: handler)
  }

  /// Creates a query for records of any of the source types.
  /// - Parameters:
  ///   - sourceTypes: The accepted source types.
  ///   - handler: Called once. The error is errorUserCanceled if the user dismisses the request.
  @preconcurrency
  public init(
    recordTypes: [String], sourceTypes: [HKVerifiableClinicalRecordSourceType], predicate: NSPredicate?,
    resultsHandler handler: @escaping ResultsHandler
  ) {
    self.recordTypes = recordTypes
    self.sourceTypes = sourceTypes
    let translation = predicate.map(PredicateTranslation.init)
    request = VerifiableClinicalRequest(
      recordTypes: recordTypes, sourceTypes: sourceTypes, predicate: translation)
    self.handler = handler
    super.init(ObjectTypes.verifiableClinicalRecord, translation)
  }

  override func run(in store: HKHealthStore) async {
    do {
      let records = try await store.records(request)
      await deliver { self.handler(self, records, nil) }
    } catch {
      await deliver { self.handler(self, nil, error) }
    }
  }
}

/// A query that reads verifiable clinical records once. Each time it runs, the user chooses which matching
/// records the program may read.
public struct HKVerifiableClinicalRecordQueryDescriptor: HKAsyncQuery, Sendable {
  /// The credential types. A record must have all of them.
  public var recordTypes: [HKVerifiableClinicalRecordCredentialType]
  /// The accepted source types.
  public var sourceTypes: [HKVerifiableClinicalRecordSourceType]
  private var translation: PredicateTranslation?

  public init(
    recordTypes: [HKVerifiableClinicalRecordCredentialType],
    sourceTypes: [HKVerifiableClinicalRecordSourceType], predicate: NSPredicate? = nil
  ) {
    self.recordTypes = recordTypes
    self.sourceTypes = sourceTypes
    translation = predicate.map(PredicateTranslation.init)
  }

  /// An equivalent of the predicate passed to the initializer. Rebuilt on each access because `NSPredicate`
  /// is not Sendable.
  public var predicate: NSPredicate? {
    get { translation?.predicate }
    set { translation = newValue.map(PredicateTranslation.init) }
  }

  /// Returns the records ordered by relevant date.
  /// - Throws: `HKError` errorUserCanceled if the user dismisses the request.
  public func result(for store: HKHealthStore) async throws -> [HKVerifiableClinicalRecord] {
    try await store.records(
      VerifiableClinicalRequest(
        recordTypes: recordTypes.map(\.rawValue), sourceTypes: sourceTypes, predicate: translation))
  }
}

/// The parameters of a query for verifiable clinical records.
struct VerifiableClinicalRequest: Sendable {
  /// The credential types. A record must have all of them.
  let recordTypes: [String]
  /// The accepted source types.
  let sourceTypes: [HKVerifiableClinicalRecordSourceType]
  let predicate: PredicateTranslation?

  fileprivate func holds(_ sample: HKSample) -> Bool {
    guard let record = sample as? HKVerifiableClinicalRecord, let source = record.sourceType else {
      return false
    }
    return sourceTypes.contains(source) && recordTypes.allSatisfy(record.recordTypes.contains)
  }
}

extension HKHealthStore {
  /// Asks the user which matching records the program may read. Returns those records, ordered by relevant
  /// date.
  func records(_ request: VerifiableClinicalRequest) async throws -> [HKVerifiableClinicalRecord] {
    let type = ObjectTypes.verifiableClinicalRecord
    let samples = try SampleRequest(type, request.predicate)
    try await authorizeObjects(of: type, request.predicate, where: request.holds)
    return try await fold(into: [], samples, order: [.start(ascending: true)], limit: nil) {
      (records: inout [HKVerifiableClinicalRecord], record: HKVerifiableClinicalRecord) in
      // Leave out records that the user allowed in an earlier request but that do not match this query.
      if request.holds(record) { records.append(record) }
    }
  }
}
