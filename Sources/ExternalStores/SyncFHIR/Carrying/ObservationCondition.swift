import Foundation

/// By what the Observation of a sample is known at a server: the UUID and, where the address names one, the
/// subject. Two persons may have the same samples, as of a log that both have read.
struct ObservationCondition: Sendable {
  /// A reference; nil where the subject is none: few servers find another by an identifier.
  let subject: String?

  /// Of one sample, for a conditional request.
  func query(_ uuid: UUID) -> String { "identifier=" + FHIR.Identifier(uuid).token + subjectQuery }

  /// Of any of the samples, for an address.
  func search(_ uuids: [UUID]) -> String {
    let tokens = uuids.map { FHIR.Identifier($0).token.replacing("|", with: "%7C") }
    return "identifier=" + tokens.joined(separator: ",") + subjectQuery
  }

  private var subjectQuery: String {
    let plain = CharacterSet.urlQueryAllowed.subtracting(CharacterSet(charactersIn: "&=+;?,|$\\"))
    return subject?.addingPercentEncoding(withAllowedCharacters: plain).map { "&subject=" + $0 } ?? ""
  }
}
