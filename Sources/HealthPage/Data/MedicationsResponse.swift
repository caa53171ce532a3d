import HealthKit

/// The user's medications, in the order in which they were added.
struct MedicationsResponse: Codable, Sendable {
  struct Medication: Codable, Sendable {
    var identifier: String
    /// The name of the medication.
    var name: String
    /// The user's own name for it.
    var nickname: String?
    /// The form, such as `tablet`.
    var form: String
    var isArchived: Bool
    var hasSchedule: Bool
  }

  var medications: [Medication]

  /// The names by which the user knows them, by identifier.
  var names: [String: String] {
    Dictionary(medications.map { ($0.identifier, $0.nickname ?? $0.name) }) { first, _ in first }
  }

  static func of(_ store: HKHealthStore) async throws -> MedicationsResponse {
    let medications = try await HKUserAnnotatedMedicationQueryDescriptor().result(for: store)
    return MedicationsResponse(
      medications: medications.map { each in
        Medication(
          identifier: each.medication.identifier.underlyingIdentifier, name: each.medication.displayText,
          nickname: each.nickname, form: each.medication.generalForm.name, isArchived: each.isArchived,
          hasSchedule: each.hasSchedule)
      })
  }
}

extension HKMedicationGeneralForm {
  /// The name of the form in HealthKit's API, such as `tablet`.
  fileprivate var name: String {
    let name = rawValue.replacing("HKMedicationGeneralForm", with: "", maxReplacements: 1)
    return name.prefix(1).lowercased() + name.dropFirst()
  }
}
