import Foundation
package import HealthKit
import HealthStorage

extension SystemStore {
  /// Takes up a medication, or changes what is kept of the one with its identifier.
  package func keep(_ medication: HKUserAnnotatedMedication) async throws {
    try await HKError.translating {
      let archive = try NSKeyedArchiver.archivedData(withRootObject: medication, requiringSecureCoding: true)
      try await database.setMedication(medication.medication.identifier.key, to: archive)
    }
  }

  /// Keeps a medication no longer.
  package func forget(_ medication: HKHealthConceptIdentifier) async throws {
    try await HKError.translating { try await database.setMedication(medication.key, to: nil) }
  }
}
