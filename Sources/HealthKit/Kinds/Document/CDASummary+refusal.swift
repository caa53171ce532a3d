import Foundation
import HealthFormats

extension CDASummary {
  /// What a document says of itself, or why HealthKit does not accept it.
  init(accepting document: Data) throws(HKError) {
    do {
      self = try CDASummary(of: document)
    } catch {
      throw HKError(
        .errorInvalidArgument, reason: "the data is not a CDA document",
        details: [HKDetailedCDAValidationErrorKey: error.reason])
    }
  }
}
