import Foundation
import HealthDataSync
import HealthKit

extension FHIR.Quantity {
  /// Creates a quantity. It has the sample's own unit, unless UCUM lacks that unit or a FHIR profile requires
  /// another.
  init(_ quantity: HKQuantity, of type: HKQuantityType) {
    let demanded = QuantityCode.byIdentifier[type.identifier]?.units ?? []
    let own = quantity.unit.unitString
    if let unit = demanded.first(where: { $0.healthKit == own }) ?? demanded.first {
      let value = quantity.doubleValue(for: HKUnit(from: unit.healthKit))
      self.init(
        value: unit.ucum == "%" ? DecimalProduct.of(value, by: 100) : value, unit: unit.text,
        system: UCUM.system,
        code: unit.ucum)
    } else if let (code, factor) = UCUM.code(for: quantity.unit) {
      self.init(
        value: DecimalProduct.of(quantity.doubleValue(for: quantity.unit), by: factor), unit: own,
        system: UCUM.system, code: code)
    } else {
      self.init(value: quantity.doubleValue(for: quantity.unit), unit: own)
    }
  }
}

extension FHIR.CodeableConcept {
  static let apple = "http://developer.apple.com/documentation/healthkit"
  static let loinc = "http://loinc.org"

  /// Creates the code of a sample type. It contains the type's LOINC codes, if any, and Apple's identifier.
  init(_ type: HKSampleType) {
    let codes = QuantityCode.byIdentifier[type.identifier]?.loinc ?? []
    let codings = codes.map { FHIR.Coding(system: Self.loinc, code: $0.code, display: $0.display) }
    self.init(
      coding: codings + [
        FHIR.Coding(system: Self.apple, code: type.identifier, display: Self.words(type.identifier))
      ])
  }

  /// Returns Apple's identifier in words: `Sleep Analysis` for `HKCategoryTypeIdentifierSleepAnalysis`.
  private static func words(_ identifier: String) -> String {
    let name = String(identifier.split(separator: "Identifier", maxSplits: 1).last ?? identifier[...])
    return name.replacing(#/([a-z0-9])([A-Z])|([A-Z])([A-Z][a-z])/#) { match in
      "\(match.1 ?? match.3 ?? "") \(match.2 ?? match.4 ?? "")"
    }
  }

  static let vitalSigns = FHIR.CodeableConcept(coding: [
    FHIR.Coding(
      system: "http://terminology.hl7.org/CodeSystem/observation-category", code: "vital-signs",
      display: "Vital Signs")
  ])
}

extension FHIR.Identifier {
  /// Creates the identifier of a sample: its UUID as a URN.
  init(_ uuid: UUID) {
    self.init(system: "urn:ietf:rfc:3986", value: "urn:uuid:" + uuid.uuidString.lowercased())
  }
}

extension String {
  /// The text as a FHIR `string`, or `nil` if it is empty. Control characters other than tab and line ends
  /// are replaced with U+FFFD.
  var fhirString: String? {
    let text = unicodeScalars.reduce(into: "") { text, scalar in
      let isControl = scalar.value < 0x20 && !["\t", "\n", "\r"].contains(scalar) || scalar.value == 0x7F
      text.unicodeScalars.append(isControl ? "\u{FFFD}" : scalar)
    }
    return text.allSatisfy(\.isWhitespace) ? nil : text
  }
}
