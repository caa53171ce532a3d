/// Dates are microseconds since 1970. A dose that was not scheduled has no date to match.
enum DoseCondition: Hashable, Codable, Sendable {
  /// Raw values.
  case statuses(CodedSet<Int>)
  case scheduled(at: CodedSet<Int64>)
  case scheduledBetween(from: Int64?, before: Int64?)
  case concepts(CodedSet<Concept>)

  struct Concept: Hashable, Comparable, Codable, Sendable {
    var domain: String
    var identifier: String

    init(_ identifier: HKHealthConceptIdentifier) {
      domain = identifier.domain.rawValue
      self.identifier = identifier.underlyingIdentifier
    }

    static func < (left: Concept, right: Concept) -> Bool {
      (left.domain, left.identifier) < (right.domain, right.identifier)
    }
  }

  func holds(_ dose: HKMedicationDoseEvent) -> Bool {
    switch self {
    case .statuses(let statuses):
      return statuses.contains(dose.logStatus.rawValue)
    case .scheduled(let times):
      return dose.scheduledDate.map { times.contains(Microseconds.clamped($0)) } ?? false
    case .scheduledBetween(let from, let before):
      guard let time = dose.scheduledDate.map(Microseconds.clamped) else { return false }
      return from ?? .min <= time && before.map { time < $0 } ?? true
    case .concepts(let concepts):
      return concepts.contains(Concept(dose.medicationConceptIdentifier))
    }
  }
}
