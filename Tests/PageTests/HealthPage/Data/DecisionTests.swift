import Foundation
import HealthKit
import HealthSystem
import Testing

@testable import HealthPage
@testable import TestSupport

/// Tests permission decisions and settings of the user on the page.
@Suite(.timeLimit(.minutes(30))) struct DecisionTests {
  @Test func `a permission is granted, denied and reset`() async throws {
    let store = try PageStore()
    try await ServedPage.serve(store.page()) { page in
      let client = try await page.entered()
      func permission() async throws -> PermissionsResponse.Permission? {
        try await client.get("/api/permissions").decoded(PermissionsResponse.self).permissions.first
      }
      let grant = #"{"application":"org.example.x","types":["heartRate"],"read":true,"share":false}"#
      #expect(try await client.post("/api/permissions", grant).status == 200)
      let granted = try #require(try await permission())
      #expect(granted.read == true && granted.share == false)
      #expect(granted.type == "heartRate" && granted.application == "org.example.x")
      let deny = #"{"application":"org.example.x","types":["heartRate"],"read":false}"#
      #expect(try await client.post("/api/permissions", deny).status == 200)
      #expect(try await permission()?.read == false)
      let reset = try await client.post("/api/permissions/reset", #"{"application":"org.example.x"}"#)
      #expect(reset.status == 200 && reset.text.contains("1"))
      #expect(try await permission() == nil)
      let none = #"{"application":"org.example.x","types":["nothing"],"read":true}"#
      #expect(try await client.post("/api/permissions", none).status == 404)
      // Others decide about these: the types of the parts, and the app's request for single samples.
      for type in ["bloodPressure", "visionPrescription"] {
        let other = #"{"application":"org.example.x","types":["\#(type)"],"read":true}"#
        #expect(try await client.post("/api/permissions", other).status == 400)
      }
      let empty = #"{"application":"org.example.x","types":["heartRate"]}"#
      #expect(try await client.post("/api/permissions", empty).status == 400)
    }
  }

  @Test func `a pending request of an app is answered, and the app gets what was granted`() async throws {
    let store = try PageStore()
    let application = try HKHealthStore.Application(
      bundleIdentifier: "org.example.recorder", name: "Recorder", version: "1",
      entitlements: HKHealthStore.Application.Entitlements(healthKit: true),
      healthShareUsageDescription: "To chart <b>your</b> heart rate.",
      healthUpdateUsageDescription: "To keep your heart rate.")
    let program = try HKHealthStore(
      configuration: .init(location: .file(store.file), application: application, decision: .user))
    let type = HKQuantityType(.heartRate)
    try await ServedPage.serve(store.page()) { page in
      let client = try await page.entered()
      try await withThrowingTaskGroup(of: Void.self) { tasks in
        tasks.addTask { try await program.requestAuthorization(toShare: [type], read: [type]) }
        var pending: PermissionsResponse.Pending?
        #expect(
          try await eventually {
            pending = try await client.get("/api/permissions").decoded(PermissionsResponse.self).pending.first
            return pending != nil
          })
        let asked = try #require(pending)
        #expect(asked.application == "org.example.recorder" && asked.read == ["heartRate"])
        #expect(asked.readPurpose == "To chart <b>your</b> heart rate.")
        #expect(try await opening(client) == .access)
        let other = #"{"id":\#(asked.id),"read":["stepCount"]}"#
        #expect(try await client.post("/api/permissions/answer", other).status == 400)
        let answer = #"{"id":\#(asked.id),"read":[],"share":["heartRate"]}"#
        #expect(try await client.post("/api/permissions/answer", answer).status == 200)
        #expect(try await client.post("/api/permissions/answer", answer).status == 404)
        try await tasks.waitForAll()
      }
      #expect(program.authorizationStatus(for: type) == .sharingAuthorized)
      let after = try await client.get("/api/permissions").decoded(PermissionsResponse.self)
      #expect(after.pending.isEmpty && after.permissions.first?.read == false)
      #expect(try await opening(client) != .access)
    }
  }

  /// Returns the part of the page that a new window opens.
  private func opening(_ client: PageClient) async throws -> SessionResponse.Opening {
    try await client.get("/api/session").decoded(SessionResponse.self).opens
  }

  @Test func `requested single samples are shown, and only the granted ones may be read`()
    async throws
  {
    let store = try PageStore()
    let type = HKObjectType.visionPrescriptionType()
    let eye = HKGlassesLensSpecification(
      sphere: HKQuantity(unit: .diopter(), doubleValue: -1), cylinder: nil, axis: nil, addPower: nil,
      vertexDistance: nil, prism: nil, farPupillaryDistance: nil, nearPupillaryDistance: nil)
    let glasses = (0..<2).map { day in
      HKGlassesPrescription(
        rightEyeSpecification: eye, leftEyeSpecification: nil, dateIssued: moment(Double(day) * 86_400),
        expirationDate: nil, device: nil, metadata: nil)
    }
    try await store.system.healthStore.acting(as: .watch).save(glasses)
    let application = try HKHealthStore.Application(
      bundleIdentifier: "org.example.optician", name: "Optician", version: "1",
      entitlements: HKHealthStore.Application.Entitlements(healthKit: true),
      healthShareUsageDescription: "To see how you see.")
    let program = try HKHealthStore(
      configuration: .init(location: .file(store.file), application: application, decision: .user))
    try await ServedPage.serve(store.page()) { page in
      let client = try await page.entered()
      try await withThrowingTaskGroup(of: Void.self) { tasks in
        tasks.addTask { try await program.requestPerObjectReadAuthorization(for: type, predicate: nil) }
        var pending: PermissionsResponse.Pending?
        #expect(
          try await eventually {
            pending = try await client.get("/api/permissions").decoded(PermissionsResponse.self).pending.first
            return pending != nil
          })
        let asked = try #require(pending)
        let objects = try #require(asked.objects)
        #expect(asked.read.isEmpty && asked.moreObjects == nil)
        #expect(objects.map(\.name) == ["Watch", "Watch"])
        #expect(Set(objects.map(\.uuid)) == Set(glasses.map(\.uuid.uuidString)))
        // An answer that does not name the allowed samples is invalid, and so is one with a sample that was
        // not requested.
        #expect(try await client.post("/api/permissions/answer", #"{"id":\#(asked.id)}"#).status == 400)
        let other = #"{"id":\#(asked.id),"objects":["\#(UUID().uuidString)"]}"#
        #expect(try await client.post("/api/permissions/answer", other).status == 400)
        let answer = #"{"id":\#(asked.id),"objects":["\#(glasses[1].uuid.uuidString)"]}"#
        #expect(try await client.post("/api/permissions/answer", answer).status == 200)
        try await tasks.waitForAll()
      }
      let samples = HKSamplePredicate<HKSample>.sample(type: type)
      let read = try await program.reduceSamples(into: [UUID](), [samples]) { $0.append($1.uuid) }
      #expect(read == [glasses[1].uuid])
    }
  }

  @Test func `figures are in the chosen unit, on the page and in the text of hrgate stats`()
    async throws
  {
    let store = try PageStore()
    let type = HKQuantityType(.bodyMass)
    try await store.system.healthStore.acting(as: .watch).save(
      HKQuantitySample(
        type: type, quantity: HKQuantity(unit: HKUnit(from: "kg"), doubleValue: 10), start: moment(),
        end: moment()))
    try await ServedPage.serve(store.page()) { [system = store.system] page in
      let client = try await page.entered()
      #expect(try await client.post("/api/units", #"{"type":"bodyMass","unit":"g"}"#).status == 200)
      #expect(try await system.healthStore.shownUnit(of: type).unitString == "g")
      for route in [
        "statistics?type=bodyMass", "series?type=bodyMass&from=\(time(-60))&to=\(time(60))&pixels=5",
      ] {
        let answer = try await client.get("/api/\(route)").object()
        let figures = answer["statistics"] as? [String: Any] ?? answer
        #expect(answer["unit"] as? String == "g" && figures["max"] as? Double == 10_000, "\(route)")
      }
      let series = try await client.get("/api/series?type=bodyMass&from=\(time(-60))&to=\(time(60))&pixels=5")
      #expect(try series.object()["value"] as? [Double] == [10_000])
      let types = try await client.get("/api/types").decoded(TypesResponse.self).types
      #expect(types.first?.unit == "g" && types.first?.end == moment())
      let list = try await client.get("/api/samples?type=bodyMass").object()["samples"] as? [[String: Any]]
      #expect(list?.first?["value"] as? Double == 10_000 && list?.first?["unit"] as? String == "g")
    }
  }

  @Test func `characteristics, units, goals and the order of sources are saved`() async throws {
    let store = try PageStore()
    try await ServedPage.serve(store.page()) { [system = store.system] page in
      let client = try await page.entered()
      let birth = #"{"name":"dateOfBirth","value":"1980-02-29"}"#
      #expect(try await client.post("/api/characteristics", birth).status == 200)
      let characteristics = try await client.get("/api/characteristics").decoded(CharacteristicsResponse.self)
      #expect(characteristics.characteristics.first { $0.name == "dateOfBirth" }?.value == "1980-02-29")
      for wrong in [
        #"{"name":"dateOfBirth","value":"1980-02-30"}"#, #"{"name":"bloodType","value":"x"}"#,
      ] {
        #expect(try await client.post("/api/characteristics", wrong).status == 400)
      }
      #expect(try await client.post("/api/units", #"{"type":"bodyMass","unit":"lb"}"#).status == 200)
      let units = try await client.get("/api/units").decoded(UnitsResponse.self).units
      #expect(units.first { $0.type == "bodyMass" }?.unit == "lb" && units.first?.isChosen == true)
      let choices = try #require(units.first { $0.type == "bodyMass" }?.choices)
      #expect(Set(choices) == ["kg", "g", "mg", "mcg", "lb", "oz", "st"])
      for unit in choices {
        let change = #"{"type":"bodyMass","unit":"\#(unit)"}"#
        #expect(try await client.post("/api/units", change).status == 200, "\(unit)")
      }
      // A unit that another program has chosen is offered too, even if no country uses it.
      try await system.setPreferredUnit(HKUnit(from: "Mg"), for: HKQuantityType(.bodyMass))
      let other = try await client.get("/api/units").decoded(UnitsResponse.self).units
      #expect(other.first { $0.type == "bodyMass" }?.choices.last == "Mg")
      #expect(try await client.post("/api/units", #"{"type":"bodyMass","unit":"count/min"}"#).status == 400)
      #expect(try await client.post("/api/units", #"{"type":"bodyMass","unit":"nonsense/"}"#).status == 400)
      let goal = #"{"goal":"activeEnergyBurned","value":500,"from":"2026-11-01"}"#
      #expect(try await client.post("/api/goals", goal).status == 200)
      let goals = try await client.get("/api/goals").decoded(GoalsResponse.self)
      #expect(
        goals.choices.map { "\($0.goal) \($0.unit)" } == [
          "activeEnergyBurned kcal", "appleMoveTime min", "appleExerciseTime min", "appleStandHours count",
        ])
      #expect(goals.goals.map(\.value) == [500] && goals.goals.first?.from == "2026-11-01")
      let negative = #"{"goal":"activeEnergyBurned","value":-1,"from":"2026-11-01"}"#
      #expect(try await client.post("/api/goals", negative).status == 400)
      let unknown = #"{"type":"stepCount","sources":["nobody"]}"#
      #expect(try await client.post("/api/order", unknown).status == 404)
    }
  }

  @Test func `limits of zones are saved, used and removed`() async throws {
    let store = try PageStore()
    try await store.save([Double](repeating: 130, count: 240))
    try await ServedPage.serve(store.page()) { [system = store.system] page in
      let client = try await page.entered()
      let basis = try await client.get("/api/maximum").decoded(MaximumResponse.self)
      #expect(basis.basis == nil && basis.limits == nil)
      let limits = #"{"limits":[100,120,140,160,180]}"#
      #expect(try await client.post("/api/zones/limits", limits).status == 200)
      #expect(try await client.get("/api/maximum").decoded(MaximumResponse.self).limits?.last == 180)
      #expect(try system.zoneLimits()?.rates == [100, 120, 140, 160, 180])
      for wrong in ["[100,120,140,160]", "[100,120,120,160,180]", "[10,120,140,160,180]", "[100.5]", "7"] {
        let refused = try await client.post("/api/zones/limits", #"{"limits":\#(wrong)}"#)
        #expect(refused.status == 400, "\(wrong)")
      }
      let strap = HKSource.strap.bundleIdentifier
      for route in [
        "zones?source=\(strap)", "worn/session?source=\(strap)&start=\(time(9))",
      ] {
        let answer = try await client.get("/api/\(route)&bounds=100,120,140,160,180").object()
        let view = (answer["sources"] as? [[String: Any]])?.first ?? answer["zones"] as? [String: Any]
        let zones = try #require(view?["zones"] as? [[String: Any]])
        #expect(zones.map { $0["seconds"] as? Double ?? -1 } == [0, 0, 249, 0, 0, 0], "\(route)")
        #expect(view?["edwards"] == nil)
        let both = try await client.get("/api/\(route)&bounds=100,120,140,160,180&maximum=200").object()
        let loaded = (both["sources"] as? [[String: Any]])?.first ?? both["zones"] as? [String: Any]
        // 130 is between 60 and 70 percent of 200.
        #expect(loaded?["edwards"] as? Double == 2 * 249.0 / 60, "\(route)")
        #expect(try await client.get("/api/\(route)&bounds=100,x").status == 400)
        #expect(try await client.get("/api/\(route)&bounds=120,100").status == 400)
      }
      #expect(try await client.post("/api/zones/limits", #"{"limits":null}"#).status == 200)
      #expect(try system.zoneLimits() == nil)
    }
  }

  @Test func `the page says when an app last read`() async throws {
    let store = try PageStore()
    try await store.save([60])
    let application = try HKHealthStore.Application(
      bundleIdentifier: "org.example.reader", name: "Reader", version: "1",
      entitlements: HKHealthStore.Application.Entitlements(healthKit: true),
      healthShareUsageDescription: "To chart.")
    let program = try HKHealthStore(
      configuration: .init(location: .file(store.file), application: application, decision: .user))
    let type = HKQuantityType(.heartRate)
    try await store.system.setPermission(share: nil, read: true, on: [type], for: "org.example.reader")
    try await ServedPage.serve(store.page()) { page in
      let client = try await page.entered()
      func lastRead() async throws -> Date? {
        try await client.get("/api/permissions").decoded(PermissionsResponse.self).permissions.first?.lastRead
      }
      #expect(try await lastRead() == nil)
      let samples = HKSamplePredicate<HKSample>.sample(type: type)
      #expect(try await program.reduceSamples(into: 0, [samples]) { count, _ in count += 1 } == 1)
      let read = try #require(try await lastRead())
      #expect(abs(read.timeIntervalSinceNow) < 600)
    }
  }

  @Test func `each person has their own store, and other stores cannot be reached`() async throws {
    let folder = try TemporaryFolder()
    let home = DataHome(folder.path("home"))
    let people = People(home)
    try people.add(PersonName("anna"))
    let own = try SystemStore(at: home.ownersStore)
    try await own.healthStore.acting(as: .strap).save(heartRate(60, at: 0))
    let stores = StoreCache(
      own, file: home.ownersStore,
      peopleStores: StoreCache.PeopleStores(owners: home.ownersStore, people: home.people))
    let page = PageServer(stores, monitors: .none, rhythm: .quick)
    try await ServedPage.serve(page) { page in
      let client = try await page.entered()
      let session = try await client.get("/api/session").decoded(SessionResponse.self)
      #expect(session.people.map(\.name) == ["owner", "anna"] && session.person == nil)
      #expect(
        try await client.get("/api/statistics?type=heartRate").decoded(StatisticsView.self).count == 1)
      let annas = try await client.get("/api/statistics?type=heartRate&person=anna")
      #expect(try annas.decoded(StatisticsView.self).count == 0)
      let owners = try await client.get("/api/statistics?type=heartRate&person=owner")
      #expect(try owners.decoded(StatisticsView.self).count == 1)
      for name in ["bert", "..", "../home", "", "anna/.."] {
        let answer = try await client.get("/api/types?person=\(name)")
        #expect(answer.status == 404, "\(name): \(answer.text)")
      }
    }
  }
}
