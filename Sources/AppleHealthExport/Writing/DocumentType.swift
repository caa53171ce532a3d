/// The document type declaration of exports. It declares those elements and attributes of Apple's version 14
/// that hrgate writes.
enum DocumentType {
  static let text = """
    <!DOCTYPE HealthData [
    <!-- HealthKit Export Version: 14 -->
    <!ELEMENT HealthData (ExportDate,Me,(Record|Correlation|Workout)*)>
    <!ATTLIST HealthData locale CDATA #REQUIRED>
    <!ELEMENT ExportDate EMPTY>
    <!ATTLIST ExportDate value CDATA #REQUIRED>
    <!ELEMENT Me EMPTY>
    <!ATTLIST Me
      HKCharacteristicTypeIdentifierDateOfBirth CDATA #REQUIRED
      HKCharacteristicTypeIdentifierBiologicalSex CDATA #REQUIRED
      HKCharacteristicTypeIdentifierBloodType CDATA #REQUIRED
      HKCharacteristicTypeIdentifierFitzpatrickSkinType CDATA #REQUIRED
      HKCharacteristicTypeIdentifierCardioFitnessMedicationsUse CDATA #REQUIRED
    >
    <!ELEMENT Record ((MetadataEntry|HeartRateVariabilityMetadataList)*)>
    <!ATTLIST Record
      type CDATA #REQUIRED unit CDATA #IMPLIED value CDATA #IMPLIED
    \(origin)
    >
    <!-- Records that are children of a Correlation are top-level records of this document, too. -->
    <!ELEMENT Correlation ((MetadataEntry|Record)*)>
    <!ATTLIST Correlation
      type CDATA #REQUIRED
    \(origin)
    >
    <!ELEMENT Workout ((MetadataEntry|WorkoutEvent|WorkoutActivity|WorkoutStatistics)*)>
    <!ATTLIST Workout
      workoutActivityType CDATA #REQUIRED duration CDATA #IMPLIED durationUnit CDATA #IMPLIED
    \(origin)
    >
    <!ELEMENT WorkoutActivity ((MetadataEntry)*)>
    <!ATTLIST WorkoutActivity
      uuid CDATA #REQUIRED startDate CDATA #REQUIRED endDate CDATA #IMPLIED
    >
    <!ELEMENT WorkoutEvent ((MetadataEntry)*)>
    <!ATTLIST WorkoutEvent
      type CDATA #REQUIRED date CDATA #REQUIRED duration CDATA #IMPLIED durationUnit CDATA #IMPLIED
    >
    <!ELEMENT WorkoutStatistics EMPTY>
    <!ATTLIST WorkoutStatistics
      type CDATA #REQUIRED startDate CDATA #REQUIRED endDate CDATA #REQUIRED
      sum CDATA #IMPLIED unit CDATA #IMPLIED
    >
    <!ELEMENT MetadataEntry EMPTY>
    <!ATTLIST MetadataEntry key CDATA #REQUIRED value CDATA #REQUIRED>
    <!ELEMENT HeartRateVariabilityMetadataList (InstantaneousBeatsPerMinute*)>
    <!ELEMENT InstantaneousBeatsPerMinute EMPTY>
    <!ATTLIST InstantaneousBeatsPerMinute bpm CDATA #REQUIRED time CDATA #REQUIRED>
    ]>

    """

  private static let origin = """
      sourceName CDATA #REQUIRED sourceVersion CDATA #IMPLIED device CDATA #IMPLIED
      creationDate CDATA #IMPLIED startDate CDATA #REQUIRED endDate CDATA #REQUIRED
    """
}
