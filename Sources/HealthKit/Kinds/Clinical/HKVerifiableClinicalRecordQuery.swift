public import Foundation

/// Asks once for records that their issuers signed. Each time the user chooses which of them the program may
/// read.
// @unchecked: as for HKQuery.
open class HKVerifiableClinicalRecordQuery: HKQuery, @unchecked Sendable {
  /// The records by their relevant dates, or an error.
  public typealias ResultsHandler =
    @Sendable (HKVerifiableClinicalRecordQuery, [HKVerifiableClinicalRecord]?, (any Error)?) -> Void

  /// A record attests all of these: raw values of `HKVerifiableClinicalRecordCredentialType`, and others.
  public let recordTypes: [String]
  public let sourceTypes: [HKVerifiableClinicalRecordSourceType]
  private let question: VerifiableClinicalQuestion
  private let handler: ResultsHandler

  /// Asks for SMART Health Cards.
  @preconcurrency
  public convenience init(
    recordTypes: [String], predicate: NSPredicate?, resultsHandler handler: @escaping ResultsHandler
  ) {
    self.init(
      recordTypes: recordTypes, sourceTypes: [.smartHealthCard], predicate: predicate,
      resultsHandler: handler)
  }

  /// - Parameters:
  ///   - sourceTypes: a record is of one of these.
  ///   - handler: called once. The error is errorUserCanceled if the user would not decide.
  @preconcurrency
  public init(
    recordTypes: [String], sourceTypes: [HKVerifiableClinicalRecordSourceType], predicate: NSPredicate?,
    resultsHandler handler: @escaping ResultsHandler
  ) {
    self.recordTypes = recordTypes
    self.sourceTypes = sourceTypes
    let translation = predicate.map(PredicateTranslation.init)
    question = VerifiableClinicalQuestion(
      recordTypes: recordTypes, sourceTypes: sourceTypes, predicate: translation)
    self.handler = handler
    super.init(ObjectTypes.verifiableClinicalRecord, translation)
  }

  override func run(in store: HKHealthStore) async {
    do {
      let records = try await store.records(question)
      await deliver { self.handler(self, records, nil) }
    } catch {
      await deliver { self.handler(self, nil, error) }
    }
  }
}
