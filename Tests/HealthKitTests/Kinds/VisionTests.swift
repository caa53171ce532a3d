import HealthKit
import Testing

@Suite struct VisionTests {
  private func diopters(_ value: Double) -> HKQuantity { HKQuantity(unit: .diopter(), doubleValue: value) }
  private func prisms(_ value: Double) -> HKQuantity { HKQuantity(unit: .prismDiopter(), doubleValue: value) }
  private func degrees(_ value: Double) -> HKQuantity { HKQuantity(unit: .degreeAngle(), doubleValue: value) }

  private func millimetres(_ value: Double) -> HKQuantity {
    HKQuantity(unit: .meterUnit(with: .milli), doubleValue: value)
  }

  private func glasses(prism: HKVisionPrism? = nil) -> HKGlassesLensSpecification {
    HKGlassesLensSpecification(
      sphere: diopters(-1.25), cylinder: diopters(-0.5), axis: degrees(170), addPower: diopters(2),
      vertexDistance: millimetres(12), prism: prism, farPupillaryDistance: millimetres(31.5),
      nearPupillaryDistance: millimetres(30))
  }

  private var contacts: HKContactsLensSpecification {
    HKContactsLensSpecification(
      sphere: diopters(-3), cylinder: nil, axis: nil, addPower: nil, baseCurve: millimetres(8.6),
      diameter: millimetres(14.2))
  }

  // MARK: - Prisms

  @Test(
    arguments: [
      (0, .right, 0, .none, 4, .in), (0, .left, 0, .none, 4, .out), (90, .right, 4, .up, 0, .none),
      (180, .right, 0, .none, 4, .out), (180, .left, 0, .none, 4, .in), (270, .left, 4, .down, 0, .none),
      (-90, .left, 4, .down, 0, .none), (360, .right, 0, .none, 4, .in),
    ] as [(Double, HKVisionEye, Double, HKPrismBase, Double, HKPrismBase)])
  func anAmountAtAnAngleHasPartsAlongTheAxes(
    angle: Double, eye: HKVisionEye, vertical: Double, verticalBase: HKPrismBase, horizontal: Double,
    horizontalBase: HKPrismBase
  ) {
    let prism = HKVisionPrism(amount: prisms(4), angle: degrees(angle), eye: eye)
    #expect(prism.verticalAmount == prisms(vertical))
    #expect(prism.verticalBase == verticalBase)
    #expect(prism.horizontalAmount == prisms(horizontal))
    #expect(prism.horizontalBase == horizontalBase)
    #expect(prism.eye == eye)
    #expect(prism.angle == degrees(angle))
  }

  @Test func twoAmountsHaveOneAmountAtAnAngle() {
    let right = HKVisionPrism(
      verticalAmount: prisms(4), verticalBase: .up, horizontalAmount: prisms(3), horizontalBase: .out,
      eye: .right)
    #expect(right.amount == prisms(5))
    #expect(abs(right.angle.doubleValue(for: .degreeAngle()) - 126.87) < 0.01)
    let left = HKVisionPrism(
      verticalAmount: prisms(4), verticalBase: .down, horizontalAmount: prisms(3), horizontalBase: .out,
      eye: .left)
    #expect(abs(left.angle.doubleValue(for: .degreeAngle()) - 306.87) < 0.01)
    let none = HKVisionPrism(
      verticalAmount: prisms(0), verticalBase: .none, horizontalAmount: prisms(0), horizontalBase: .in,
      eye: .left)
    #expect(none.amount == prisms(0))
    #expect(none.angle == degrees(0))
  }

  @Test func theTwoFormsAgree() {
    for angle in stride(from: 0.0, to: 360, by: 7) {
      let polar = HKVisionPrism(amount: prisms(2.5), angle: degrees(angle), eye: .left)
      let rectangular = HKVisionPrism(
        verticalAmount: polar.verticalAmount, verticalBase: polar.verticalBase,
        horizontalAmount: polar.horizontalAmount, horizontalBase: polar.horizontalBase, eye: .left)
      #expect(abs(rectangular.amount.doubleValue(for: .prismDiopter()) - 2.5) < 1e-9)
      #expect(abs(rectangular.angle.doubleValue(for: .degreeAngle()) - angle) < 1e-9)
    }
  }

  @Test func anAngleMayBeInRadians() {
    let prism = HKVisionPrism(
      amount: prisms(1), angle: HKQuantity(unit: .radianAngle(), doubleValue: .pi / 2), eye: .right)
    #expect(prism.verticalBase == .up)
    #expect(prism.horizontalBase == .none)
  }

  @Test func `a prism of the wrong kind is rejected`() {
    for (amount, angle) in [
      (diopters(1), degrees(1)), (prisms(1), prisms(1)), (prisms(-1), degrees(1)), (prisms(.nan), degrees(1)),
      (prisms(1), degrees(.infinity)),
    ] {
      #expect(throws: HKValidationError.self) {
        try HKVisionPrism.validated(amount: amount, angle: angle, eye: .left)
      }
    }
    for (vertical, verticalBase, horizontal, horizontalBase) in [
      (prisms(1), .in, prisms(1), .in), (prisms(1), .up, prisms(1), .down),
      (prisms(1), .none, prisms(1), .in),
      (prisms(1), .up, prisms(1), .none), (prisms(-1), .up, prisms(1), .in),
      (degrees(1), .up, prisms(1), .in),
      (prisms(1), .up, prisms(.nan), .in),
    ] as [(HKQuantity, HKPrismBase, HKQuantity, HKPrismBase)] {
      #expect(throws: HKValidationError.self) {
        try HKVisionPrism.validated(
          verticalAmount: vertical, verticalBase: verticalBase, horizontalAmount: horizontal,
          horizontalBase: horizontalBase, eye: .left)
      }
    }
  }

  @Test func `a prism is archived bit by bit`() throws {
    let polar = HKVisionPrism(amount: prisms(1.1), angle: degrees(33.3), eye: .left)
    let rectangular = HKVisionPrism(
      verticalAmount: prisms(0.7), verticalBase: .up, horizontalAmount: prisms(1.3), horizontalBase: .in,
      eye: .right)
    #expect(try archived(polar) == polar)
    #expect(try archived(rectangular) == rectangular)
    #expect(polar != HKVisionPrism(amount: prisms(1.1), angle: degrees(33.3), eye: .right))
    for (key, value) in [("eye", 3), ("verticalBase", 3), ("verticalBase", nil), ("horizontalBase", 0)]
      as [(String, Int?)]
    {
      #expect(try readTampered(rectangular, [key: value]) == nil)
    }
    #expect(try readTampered(polar, ["angle": nil]) == nil)
  }

  // MARK: - Lenses

  @Test func lensesKeepTheirValues() {
    let prism = HKVisionPrism(amount: prisms(1), angle: degrees(90), eye: .right)
    let lens = glasses(prism: prism)
    #expect(lens.sphere == diopters(-1.25))
    #expect(lens.cylinder == diopters(-0.5))
    #expect(lens.axis == degrees(170))
    #expect(lens.addPower == diopters(2))
    #expect(lens.vertexDistance == millimetres(12))
    #expect(lens.prism == prism)
    #expect(lens.farPupillaryDistance == millimetres(31.5))
    #expect(lens.nearPupillaryDistance == millimetres(30))
    #expect(contacts.baseCurve == millimetres(8.6))
    #expect(contacts.diameter == millimetres(14.2))
    #expect(contacts.cylinder == nil)
  }

  @Test func lensesAreEqualIfAllTheirValuesAre() {
    #expect(glasses() == glasses())
    #expect(glasses().hash == glasses().hash)
    #expect(glasses() != glasses(prism: HKVisionPrism(amount: prisms(1), angle: degrees(0), eye: .left)))
    #expect(contacts == contacts)
    let bare = HKContactsLensSpecification(
      sphere: diopters(-3), cylinder: nil, axis: nil, addPower: nil, baseCurve: nil, diameter: nil)
    #expect(contacts != bare)
    let other: HKLensSpecification = HKGlassesLensSpecification(
      sphere: diopters(-3), cylinder: nil, axis: nil, addPower: nil, vertexDistance: nil, prism: nil,
      farPupillaryDistance: nil, nearPupillaryDistance: nil)
    #expect(bare != other)
    #expect(other != bare)
  }

  @Test func aValueOfALensHasItsUnit() throws {
    typealias Glasses = HKGlassesLensSpecification
    typealias Contacts = HKContactsLensSpecification
    let one = diopters(1)
    let makers: [() throws -> HKLensSpecification] = [
      { try Glasses.validated(sphere: millimetres(1)) }, { try Glasses.validated(sphere: diopters(.nan)) },
      { try Glasses.validated(sphere: one, cylinder: degrees(1)) },
      { try Glasses.validated(sphere: one, axis: one) },
      { try Glasses.validated(sphere: one, addPower: prisms(1)) },
      { try Glasses.validated(sphere: one, vertexDistance: one) },
      { try Glasses.validated(sphere: one, vertexDistance: millimetres(-1)) },
      { try Glasses.validated(sphere: one, farPupillaryDistance: one) },
      { try Glasses.validated(sphere: one, nearPupillaryDistance: degrees(1)) },
      { try Contacts.validated(sphere: millimetres(1)) }, { try Contacts.validated(sphere: one, axis: one) },
      { try Contacts.validated(sphere: one, baseCurve: one) },
      { try Contacts.validated(sphere: one, diameter: millimetres(.infinity)) },
    ]
    for make in makers {
      #expect(throws: HKValidationError.self) { try make() }
    }
    _ = try Glasses.validated(
      sphere: one, axis: HKQuantity(unit: .radianAngle(), doubleValue: 1),
      vertexDistance: HKQuantity(unit: .inch(), doubleValue: 0.5))
  }

  @Test func `lenses can be archived`() throws {
    let lens = glasses(prism: HKVisionPrism(amount: prisms(1), angle: degrees(12), eye: .right))
    #expect(try archived(lens) == lens)
    #expect(try archived(contacts) == contacts)
    #expect(try readTampered(contacts, ["sphere": nil]) == nil)
  }

  // MARK: - Prescriptions

  private func attempt(
    right: HKVisionEye? = nil, left: HKVisionEye? = nil, issued: Date = moment(), expires: Date? = nil
  ) throws -> HKGlassesPrescription {
    let lenses = [right, left].map { eye in
      glasses(prism: eye.map { HKVisionPrism(amount: prisms(1), angle: degrees(0), eye: $0) })
    }
    return try .validated(
      rightEyeSpecification: lenses[0], leftEyeSpecification: lenses[1], dateIssued: issued,
      expirationDate: expires)
  }

  @Test func `a prescription is valid from issue to expiration`() throws {
    let expiring = try attempt(expires: moment(100))
    #expect((expiring.dateIssued, expiring.expirationDate) == (moment(), moment(100)))
    #expect((expiring.startDate, expiring.endDate) == (moment(), moment(100)))
    #expect(!expiring.hasUndeterminedDuration)
    #expect(expiring.sampleType == .visionPrescriptionType())
    let lasting = try attempt()
    #expect(lasting.expirationDate == nil)
    #expect(lasting.endDate == .distantFuture)
    #expect(lasting.hasUndeterminedDuration)
    #expect(throws: HKValidationError.self) { try attempt(expires: moment(-1)) }
  }

  @Test func aPrescriptionMayBeOld() {
    let issued = Date(timeIntervalSince1970: -2_500_000_000)
    let prescription = HKVisionPrescription(
      type: .glasses, dateIssued: issued, expirationDate: nil, device: nil, metadata: nil)
    #expect(prescription.prescriptionType == .glasses)
    #expect(prescription.dateIssued == issued)
  }

  @Test func aPrismMustBeForTheEyeOfItsLens() throws {
    #expect(try attempt(right: .right, left: .left).rightEye?.prism?.eye == .right)
    #expect(throws: HKValidationError.self) { try attempt(right: .left) }
    #expect(throws: HKValidationError.self) { try attempt(left: .right) }
  }

  @Test func metadataIsChecked() {
    #expect(throws: HKValidationError.self) {
      try HKVisionPrescription.validated(type: .contacts, dateIssued: moment(), metadata: ["k": [1]])
    }
  }

  @Test func `prescriptions can be archived`() throws {
    let glasses = try attempt(right: .right, expires: moment(5))
    let sameGlasses = try #require(try archived(glasses))
    #expect(sameGlasses == glasses)
    #expect(sameGlasses.rightEye == glasses.rightEye)
    #expect(sameGlasses.leftEye == glasses.leftEye)
    #expect(sameGlasses.prescriptionType == .glasses)
    #expect(sameGlasses.expirationDate == moment(5))

    let contacts = HKContactsPrescription(
      rightEyeSpecification: contacts, leftEyeSpecification: nil, brand: "Brand", dateIssued: moment(),
      expirationDate: nil, device: nil, metadata: ["k": "v"])
    let sameContacts = try #require(try archived(contacts))
    #expect(sameContacts.brand == "Brand")
    #expect(sameContacts.rightEye == contacts.rightEye)
    #expect(sameContacts.leftEye == nil)
    #expect(sameContacts.expirationDate == nil)
    #expect(sameContacts.metadata?["k"] as? String == "v")
    #expect(contacts.copy() as? HKContactsPrescription === contacts)
  }

  @Test func `an inconsistent archive is rejected`() throws {
    let glasses = try attempt(right: .right, left: .left)
    for type in [0, 2, 3, -1, .max] {
      #expect(try readTampered(glasses, ["prescriptionType": type]) == nil)
    }
    #expect(try readTampered(glasses, ["prescriptionType": nil]) == nil)
    // Both prisms are now for the left eye, so the prescription is rejected.
    #expect(try readTampered(glasses, ["eye": HKVisionEye.left.rawValue]) == nil)
  }

  @Test func `the initializers trap if Apple's raise an exception`() async {
    await #expect(processExitsWith: .failure) {
      _ = HKVisionPrescription(
        type: .glasses, dateIssued: moment(1), expirationDate: moment(), device: nil, metadata: nil)
    }
    await #expect(processExitsWith: .failure) {
      let metre = HKQuantity(unit: .meter(), doubleValue: 1)
      _ = HKVisionPrism(amount: metre, angle: metre, eye: .left)
    }
  }
}
