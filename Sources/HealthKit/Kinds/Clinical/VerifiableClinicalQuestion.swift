import Foundation
import HealthStorage

/// Which verifiable clinical records.
struct VerifiableClinicalQuestion: Sendable {
  /// A record attests all of these.
  let recordTypes: [String]
  /// A record is of one of these.
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
  /// Asks the user which of the matching records the program may read, and reads these, by their relevant
  /// dates.
  func records(_ question: VerifiableClinicalQuestion) async throws -> [HKVerifiableClinicalRecord] {
    let type = ObjectTypes.verifiableClinicalRecord
    let samples = try SampleQuestion(type, question.predicate)
    try await authorizeObjects(of: type, question.predicate, where: question.holds)
    return try await fold(into: [], samples, order: [.start(ascending: true)], limit: nil) {
      (records: inout [HKVerifiableClinicalRecord], record: HKVerifiableClinicalRecord) in
      if question.holds(record) { records.append(record) }
    }
  }
}
