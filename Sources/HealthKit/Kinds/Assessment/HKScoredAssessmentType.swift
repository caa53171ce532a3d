/// The type of questionnaires that have a score.
// @unchecked: as for HKObjectType.
public final class HKScoredAssessmentType: HKSampleType, @unchecked Sendable {}

extension HKInitializable where Self: HKScoredAssessmentType {
  /// Traps on an identifier that is not in the table; `scoredAssessmentType(forIdentifier:)` answers nil
  /// instead.
  public init(_ identifier: HKScoredAssessmentTypeIdentifier) {
    self.init(instance: ObjectTypes.type(identifier.rawValue, as: HKScoredAssessmentType.self))
  }
}
