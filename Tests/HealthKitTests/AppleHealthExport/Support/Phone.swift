import Foundation

@testable import TestSupport

/// Generates an export like that of an iPhone with a watch: the elements of document type version 14 in
/// Apple's form. Deterministic for each seed.
struct Phone {
  private var random: SeededGenerator
  private var pointer = 0x2828_0000

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  /// - Parameter days: the number of days; each has about five hundred records.
  mutating func export(days: Int) -> String {
    var text = Self.heading
    for day in 0..<days { text += heartRates(day) }
    for day in 0..<days { text += steps(day) + energy(day) }
    for day in 0..<days { text += sleep(day) + standHours(day) + variability(day) }
    for day in 0..<days { text += bloodPressure(day) + others(day) }
    for day in 0..<days { text += workout(day) }
    for day in 0..<days { text += summary(day) }
    return text + "</HealthData>\n"
  }

  static let heading = """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE HealthData [
    <!-- HealthKit Export Version: 14 -->
    <!ELEMENT HealthData (ExportDate,Me,(Record|Correlation|Workout|ActivitySummary)*)>
    <!ATTLIST HealthData
      locale CDATA #REQUIRED
    >
    <!ELEMENT Record ((MetadataEntry|HeartRateVariabilityMetadataList)*)>
    ]>
    <HealthData locale="de_DE">
     <ExportDate value="2026-11-22 09:00:00 +0100"/>
     <Me HKCharacteristicTypeIdentifierDateOfBirth="1990-05-17" HKCharacteristicTypeIdentifierBiologicalSex="HKBiologicalSexFemale" HKCharacteristicTypeIdentifierBloodType="HKBloodTypeABPositive" HKCharacteristicTypeIdentifierFitzpatrickSkinType="HKFitzpatrickSkinTypeIII" HKCharacteristicTypeIdentifierCardioFitnessMedicationsUse="None"/>

    """

  // MARK: - Parts

  private mutating func watch() -> String {
    pointer += 16
    return
      #"sourceName="Anna’s Apple Watch" sourceVersion="11.1" device="&lt;&lt;HKDevice: 0x\#(String(pointer, radix: 16))&gt;, name:Apple Watch, manufacturer:Apple Inc., model:Watch, hardware:Watch6,14, software:11.1&gt;""#
  }

  private let iPhone =
    #"sourceName="iPhone &amp; &quot;Anna&quot;" sourceVersion="18.1" device="&lt;&lt;HKDevice: 0x1&gt;, name:iPhone, manufacturer:Apple Inc., model:iPhone, hardware:iPhone15,2, software:18.1&gt;""#

  /// Returns a time in the form of an export. Every second half year has daylight saving time.
  private func time(_ day: Int, _ second: Int) -> String {
    let zone = (day / 183).isMultiple(of: 2) ? 3600 : 7200
    let date = Date(timeIntervalSince1970: 1_767_222_000 + Double(day * 86_400 + second + zone))
    let text = date.formatted(.iso8601.year().month().day().time(includingFractionalSeconds: false))
    return String(text.replacing("T", with: " ").prefix(19)) + (zone == 3600 ? " +0100" : " +0200")
  }

  private func times(_ day: Int, _ start: Int, _ length: Int) -> String {
    let created = time(day, start + length + 60)
    return
      #"creationDate="\#(created)" startDate="\#(time(day, start))" endDate="\#(time(day, start + length))""#
  }

  private mutating func number(_ range: ClosedRange<Double>, _ digits: Int = 4) -> String {
    let scale = pow(10, Double(digits))
    let value = (Double.random(in: range, using: &random) * scale).rounded() / scale
    return value == value.rounded() ? "\(Int(value))" : "\(value)"
  }

  private mutating func quantity(
    _ type: String, _ origin: String, _ unit: String, _ value: String, _ times: String,
    _ metadata: String = ""
  ) -> String {
    let record =
      #" <Record type="HKQuantityTypeIdentifier\#(type)" \#(origin) unit="\#(unit)" \#(times) value="\#(value)""#
    return metadata.isEmpty ? record + "/>\n" : record + ">\n\(metadata) </Record>\n"
  }

  private func entry(_ key: String, _ value: String) -> String {
    #"  <MetadataEntry key="\#(key)" value="\#(value)"/>"# + "\n"
  }

  // MARK: - Days

  private mutating func heartRates(_ day: Int) -> String {
    (0..<288).map { index in
      let context = entry("HKMetadataKeyHeartRateMotionContext", "\(index % 3)")
      return quantity(
        "HeartRate", watch(), "count/min", number(48...160, 0), times(day, index * 300 + index % 7, 0),
        context)
    }.joined()
  }

  private mutating func steps(_ day: Int) -> String {
    (0..<48).map { index in
      quantity("StepCount", iPhone, "count", number(1...900, 0), times(day, index * 1800, 600))
    }.joined()
  }

  private mutating func energy(_ day: Int) -> String {
    (0..<96).map { index in
      quantity("ActiveEnergyBurned", watch(), "Cal", number(0...20), times(day, index * 900, 870))
    }.joined()
  }

  private mutating func sleep(_ day: Int) -> String {
    let stages = ["InBed", "AsleepCore", "AsleepDeep", "AsleepREM", "Awake", "Asleep"]
    return stages.enumerated().map { index, stage in
      let zone = entry("HKTimeZone", "Europe/Berlin")
      return
        #" <Record type="HKCategoryTypeIdentifierSleepAnalysis" \#(watch()) \#(times(day, index * 1200, 1200)) value="HKCategoryValueSleepAnalysis\#(stage)">"#
        + "\n\(zone) </Record>\n"
    }.joined()
  }

  private mutating func standHours(_ day: Int) -> String {
    (0..<24).map { hour in
      #" <Record type="HKCategoryTypeIdentifierAppleStandHour" \#(watch()) \#(times(day, hour * 3600, 3600)) value="HKCategoryValueAppleStandHour\#(hour % 2 == 0 ? "Stood" : "Idle")"/>"#
        + "\n"
    }.joined()
  }

  /// Returns variability records with beats. One beat of each record is missing. The beats of the last record
  /// cross midnight.
  private mutating func variability(_ day: Int) -> String {
    (0..<4).map { index in
      let second = index == 3 ? 86_370 : 7200 + index * 21_600
      var hundredths = second * 100 + 37
      let beats = (0..<60).map { beat in
        let rate = Int.random(in: 52...70, using: &random)
        hundredths += Int((6000.0 / Double(rate)).rounded()) * (beat == 30 ? 3 : 1)
        let ofDay = hundredths % 8_640_000
        let (hour, rest) = (ofDay / 360_000, ofDay % 360_000)
        let clock = String(
          format: "%d:%02d:%02d.%02d", (hour + 11) % 12 + 1, rest / 6000, rest / 100 % 60, rest % 100)
        return
          #"   <InstantaneousBeatsPerMinute bpm="\#(rate)" time="\#(clock)\#u{202F}\#(hour < 12 ? "AM" : "PM")"/>"#
          + "\n"
      }.joined()
      return quantity(
        "HeartRateVariabilitySDNN", watch(), "ms", number(20...90), times(day, second, 62),
        "  <HeartRateVariabilityMetadataList>\n\(beats)  </HeartRateVariabilityMetadataList>\n")
    }.joined()
  }

  /// Returns a blood pressure. The members of a correlation are also exported as separate records.
  private mutating func bloodPressure(_ day: Int) -> String {
    let when = times(day, 28_800, 0)
    let source = #"sourceName="Pressure" sourceVersion="3""#
    let parts =
      quantity("BloodPressureSystolic", source, "mmHg", number(100...140, 0), when)
      + quantity("BloodPressureDiastolic", source, "mmHg", number(60...90, 0), when)
    return parts
      + #" <Correlation type="HKCorrelationTypeIdentifierBloodPressure" \#(source) \#(when)>"#
      + "\n\(entry("HKWasUserEntered", "1"))\(parts) </Correlation>\n"
  }

  private mutating func others(_ day: Int) -> String {
    quantity(
      "OxygenSaturation", watch(), "%", number(0.9...1, 2), times(day, 3600, 0),
      entry("HKMetadataKeyBarometricPressure", "101.325 kPa"))
      + quantity("BodyMass", #"sourceName="Scale""#, "kg", number(55...65, 1), times(day, 25_000, 0))
      + quantity("VO2Max", watch(), "mL/min·kg", number(30...50, 2), times(day, 40_000, 0))
      + quantity(
        "BloodGlucose", #"sourceName="Sugar""#, "mmol&lt;180.1558800000541&gt;/L", number(4...8, 1),
        times(day, 43_200, 0),
        entry("HKBloodGlucoseMealTime", "1") + entry("com.example.note", "x &lt; y; line&#10;two"))
      + quantity("HeadphoneAudioExposure", iPhone, "dBASPL", number(50...80), times(day, 50_000, 600))
      + quantity("SomethingNew", watch(), "count", "1", times(day, 50_000, 600))
  }

  private mutating func workout(_ day: Int) -> String {
    let start = 61_200
    let span = times(day, start, 1800)
    return
      #" <Workout workoutActivityType="HKWorkoutActivityTypeRunning" duration="28.25" durationUnit="min" \#(watch()) \#(span)>"#
      + "\n" + entry("HKIndoorWorkout", "0") + entry("HKAverageMETs", "9.25 kcal/hr·kg")
      + entry("HKWeatherTemperature", "55.7 degF")
      + #"  <WorkoutEvent type="HKWorkoutEventTypeSegment" date="\#(time(day, start))" duration="5.5" durationUnit="min"/>"#
      + "\n"
      + #"  <WorkoutEvent type="HKWorkoutEventTypePause" date="\#(time(day, start + 600))"/>"# + "\n"
      + #"  <WorkoutEvent type="HKWorkoutEventTypeResume" date="\#(time(day, start + 705))"/>"# + "\n"
      + #"  <WorkoutStatistics type="HKQuantityTypeIdentifierActiveEnergyBurned" startDate="\#(time(day, start))" endDate="\#(time(day, start + 1800))" sum="\#(number(200...400))" unit="Cal"/>"#
      + "\n"
      + #"  <WorkoutStatistics type="HKQuantityTypeIdentifierHeartRate" startDate="\#(time(day, start))" startDate="\#(time(day, start + 1800))" average="151.2" minimum="90" maximum="178" unit="count/min"/>"#
      + "\n"
      + #"  <WorkoutStatistics type="HKQuantityTypeIdentifierDistanceWalkingRunning" startDate="\#(time(day, start))" endDate="\#(time(day, start + 1800))" sum="\#(number(4...6))" unit="km"/>"#
      + "\n"
      + #"  <WorkoutRoute sourceName="Watch" startDate="\#(time(day, start))" endDate="\#(time(day, start + 1800))"><FileReference path="/workout-routes/route_\#(day).gpx"/></WorkoutRoute>"#
      + "\n </Workout>\n"
  }

  private func summary(_ day: Int) -> String {
    #" <ActivitySummary dateComponents="2026-01-01" activeEnergyBurned="412.3" activeEnergyBurnedGoal="400" activeEnergyBurnedUnit="Cal" appleMoveTime="0" appleMoveTimeGoal="0" appleExerciseTime="31" appleExerciseTimeGoal="30" appleStandHours="12" appleStandHoursGoal="12"/>"#
      + "\n"
  }
}
