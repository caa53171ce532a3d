public import Foundation

/// Asks once for records that their issuers signed. Each time the user chooses which of them the program may
/// read.
public struct HKVerifiableClinicalRecordQueryDescriptor: HKAsyncQuery, Sendable {
  /// A record attests all of these.
  public var recordTypes: [HKVerifiableClinicalRecordCredentialType]
  /// A record is of one of these.
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

  /// An equivalent of the predicate given, since an `NSPredicate` must not cross threads.
  public var predicate: NSPredicate? {
    get { translation?.predicate }
    set { translation = newValue.map(PredicateTranslation.init) }
  }

  /// The records by their relevant dates.
  /// - Throws: `HKError`: errorUserCanceled if the user would not decide.
  public func result(for store: HKHealthStore) async throws -> [HKVerifiableClinicalRecord] {
    try await store.records(
      VerifiableClinicalQuestion(
        recordTypes: recordTypes.map(\.rawValue), sourceTypes: sourceTypes, predicate: translation))
  }
}
