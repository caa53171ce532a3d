import HealthKit

extension SampleLine {
  /// The findings of an electrocardiogram. The voltages are not included.
  package struct Electrocardiogram: Encodable, Sendable {
    /// The classification, such as `sinusRhythm`, or a number if this version does not know the name.
    package var classification: String
    /// The average heart rate in beats per minute.
    package var averageHeartRate: Double?
    /// Whether there were symptoms: `none` or `present`; absent if that is not known.
    package var symptoms: String?
    /// Voltages per second.
    package var samplingFrequency: Double?
    /// The number of voltages.
    package var voltages: Int

    init(_ sample: HKElectrocardiogram) {
      classification = "\(sample.classification)"
      averageHeartRate = sample.averageHeartRate?.doubleValue(
        for: .count().unitDivided(by: .minute()))
      symptoms = sample.symptomsStatus == .notSet ? nil : "\(sample.symptomsStatus)"
      samplingFrequency = sample.samplingFrequency?.doubleValue(for: .hertz())
      voltages = sample.numberOfVoltageMeasurements
    }
  }

  /// A dose of a medication.
  package struct Dose: Encodable, Sendable {
    /// The identifier of the medication, which is unique in the store.
    package var medication: String
    /// The name of the medication. Set only for the page.
    package var name: String?
    /// What happened, such as `taken` or `skipped`.
    package var status: String
    package var quantity: Double?
    package var unit: String
    /// The scheduled time and quantity; absent for a dose that was not scheduled.
    package var scheduled: String?
    package var scheduledQuantity: Double?

    init(_ sample: HKMedicationDoseEvent) {
      medication = sample.medicationConceptIdentifier.underlyingIdentifier
      status = "\(sample.logStatus)"
      (quantity, unit) = (sample.doseQuantity, sample.unit.unitString)
      scheduled = sample.scheduledDate.map(Timestamp.text)
      scheduledQuantity = sample.scheduledDoseQuantity
    }
  }
}
