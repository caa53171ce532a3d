import HealthKit

/// The LOINC codes, FHIR profile and units of a quantity type. A type without an entry is sent with only
/// Apple's identifier as its code.
struct QuantityCode: Sendable {
  /// A unit that a FHIR profile or LOINC code requires.
  struct Unit: Sendable {
    let healthKit: String
    let ucum: String
    let text: String

    init(_ healthKit: String, _ ucum: String, _ text: String) {
      self.healthKit = healthKit
      self.ucum = ucum
      self.text = text
    }
  }

  /// The source of the codes.
  enum Evidence: String, Sendable {
    /// The vital signs profiles of FHIR R4.
    case vitalSigns = "FHIR R4 vital signs"
    /// The tables of the two libraries that map HealthKit to FHIR.
    case both = "HealthKitOnFHIR, healthkit-to-fhir"
    case healthKitOnFHIR = "HealthKitOnFHIR"
  }

  let identifier: HKQuantityTypeIdentifier
  /// The LOINC codes with their names, the most specific one first.
  let loinc: [(code: String, display: String)]
  /// The name of the FHIR R4 vital signs profile, or `nil` if the type is not a vital sign.
  let profile: String?
  /// The units that the profile or code allows. A sample in another unit is converted to the first one. If
  /// the list is empty, any unit is allowed.
  let units: [Unit]
  let evidence: Evidence

  private init(
    _ identifier: HKQuantityTypeIdentifier, _ loinc: [(code: String, display: String)],
    profile: String? = nil, units: [Unit] = [], _ evidence: Evidence
  ) {
    self.identifier = identifier
    self.loinc = loinc
    self.profile = profile
    self.units = units
    self.evidence = evidence
  }

  static let byIdentifier = Dictionary(uniqueKeysWithValues: table.map { ($0.identifier.rawValue, $0) })

  static let table: [QuantityCode] = vitalSigns + heart + body + breath + activity

  private static let mmHg = Unit("mmHg", "mm[Hg]", "mmHg")

  private static let vitalSigns: [QuantityCode] = [
    QuantityCode(
      .heartRate, [("8867-4", "Heart rate")], profile: "heartrate",
      units: [Unit("count/min", "/min", "beats/minute")], .vitalSigns),
    QuantityCode(
      .respiratoryRate, [("9279-1", "Respiratory rate")], profile: "resprate",
      units: [Unit("count/min", "/min", "breaths/minute")], .vitalSigns),
    QuantityCode(
      .oxygenSaturation,
      [
        ("59408-5", "Oxygen saturation in Arterial blood by Pulse oximetry"),
        ("2708-6", "Oxygen saturation in Arterial blood"),
      ], profile: "oxygensat", units: [Unit("%", "%", "%")], .vitalSigns),
    QuantityCode(
      .bodyTemperature, [("8310-5", "Body temperature")], profile: "bodytemp",
      units: [Unit("degC", "Cel", "C"), Unit("degF", "[degF]", "F")], .vitalSigns),
    QuantityCode(
      .height, [("8302-2", "Body height")], profile: "bodyheight",
      units: [Unit("cm", "cm", "cm"), Unit("in", "[in_i]", "in")], .vitalSigns),
    QuantityCode(
      .bodyMass, [("29463-7", "Body weight")], profile: "bodyweight",
      units: [Unit("kg", "kg", "kg"), Unit("g", "g", "g"), Unit("lb", "[lb_av]", "lb")], .vitalSigns),
    // HealthKit stores the body mass index without a unit. By definition, the unit is kg/m².
    QuantityCode(
      .bodyMassIndex, [("39156-5", "Body mass index (BMI) [Ratio]")], profile: "bmi",
      units: [Unit("count", "kg/m2", "kg/m2")], .vitalSigns),
    // The profile "bp" applies to systolic and diastolic pressure together: see `ObservationMapping`.
    QuantityCode(.bloodPressureSystolic, [("8480-6", "Systolic blood pressure")], units: [mmHg], .vitalSigns),
    QuantityCode(
      .bloodPressureDiastolic, [("8462-4", "Diastolic blood pressure")], units: [mmHg], .vitalSigns),
  ]

  private static let heart: [QuantityCode] = [
    QuantityCode(
      .restingHeartRate, [("40443-4", "Heart rate --resting")],
      units: [Unit("count/min", "/min", "beats/minute")], .both),
    QuantityCode(
      .heartRateVariabilitySDNN, [("80404-7", "R-R interval.standard deviation (Heart rate variability)")],
      units: [Unit("ms", "ms", "ms")], .both),
    QuantityCode(
      .peripheralPerfusionIndex, [("61006-3", "Perfusion index Tissue by Pulse oximetry")],
      .healthKitOnFHIR),
  ]

  private static let body: [QuantityCode] = [
    QuantityCode(.bodyFatPercentage, [("41982-0", "Percentage of body fat Measured")], .healthKitOnFHIR),
    QuantityCode(.leanBodyMass, [("91557-9", "Lean body weight")], .healthKitOnFHIR),
    // The LOINC code is for mass per volume, so a sample in mmol/L is converted.
    QuantityCode(
      .bloodGlucose, [("41653-7", "Glucose Glucometer (BldC) [Mass/Vol]")],
      units: [Unit("mg/dL", "mg/dL", "mg/dL")], .healthKitOnFHIR),
  ]

  private static let breath: [QuantityCode] = [
    QuantityCode(.forcedExpiratoryVolume1, [("20150-9", "FEV1")], .healthKitOnFHIR),
    QuantityCode(
      .forcedVitalCapacity, [("19870-5", "Forced vital capacity [Volume] Respiratory system")],
      .healthKitOnFHIR),
    QuantityCode(
      .peakExpiratoryFlowRate,
      [("19935-6", "Maximum expiratory gas flow Respiratory system airway by Peak flow meter")],
      .healthKitOnFHIR),
  ]

  private static let activity: [QuantityCode] = [
    QuantityCode(.activeEnergyBurned, [("41981-2", "Calories burned")], .both),
    QuantityCode(.dietaryEnergyConsumed, [("9052-2", "Calorie intake total")], .healthKitOnFHIR),
    QuantityCode(.stepCount, [("55423-8", "Number of steps in unspecified time Pedometer")], .both),
    QuantityCode(.flightsClimbed, [("100304-5", "Flights climbed [#] Reporting Period")], .healthKitOnFHIR),
    QuantityCode(
      .pushCount, [("96502-0", "Number of wheelchair pushes per time period")], .healthKitOnFHIR),
    QuantityCode(
      .distanceSwimming, [("93816-7", "Swimming distance unspecified time")], .healthKitOnFHIR),
  ]
}
