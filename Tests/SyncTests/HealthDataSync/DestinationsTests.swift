import Foundation
import HealthDataSync
import HealthKit
import Testing

@testable import TestSupport

/// Tests adding, listing, resetting and removing destinations.
@Suite(.timeLimit(.minutes(30))) struct DestinationsTests {
  @Test func `a destination is listed as it was added`() async throws {
    let destinations = try SyncDestinations(try HKHealthStore.inMemory())
    let full = SyncDestination(
      name: "b.-_9", address: "fhir+https://example.org/r4", types: [pulse, energy], sources: ["s"],
      from: Date(timeIntervalSince1970: 1_700_000_000.5),
      identity: ExternalIdentity(person: "p", gateway: "g"), secretFile: "/run/secret")
    try await destinations.add(full)
    try await destinations.add(destination("a"))
    let gatewayID = try await destinations.gatewayID()
    func kept(_ destination: SyncDestination) -> SyncDestination {
      var destination = destination
      let (person, gateway) = (destination.identity.person, destination.identity.gateway)
      destination.identity = ExternalIdentity(person: person, gateway: gateway, gatewayID: gatewayID)
      return destination
    }
    #expect(try await destinations.list() == [kept(destination("a")), kept(full)])
    await #expect(throws: SyncDestinationError.taken("a")) { try await destinations.add(destination("a")) }
    try await destinations.remove("a")
    #expect(try await destinations.list() == [kept(full)])
  }

  @Test func `each store has its own gateway ID, also in copies of the store`()
    async throws
  {
    let folder = try TemporaryFolder()
    var identities: [String] = []
    for name in ["one", "other"] {
      // The store replaces the gateway ID `x` of an added destination by its own ID, in both runs.
      for run in ["a", "b"] {
        let destinations = try SyncDestinations(try HKHealthStore(storeAt: folder.path(name)))
        var named = destination(run)
        named.identity = ExternalIdentity(person: "p", gateway: "raspberrypi", gatewayID: "x")
        try await destinations.add(named)
        identities += try await destinations.list().compactMap(\.identity.gatewayID)
      }
    }
    #expect(Set(identities[..<3]).count == 1 && Set(identities[3...]).count == 1)
    #expect(identities.count == 6 && identities[0] != identities[3])
    #expect(identities[0].count == 32)
    try FileManager.default.copyItem(atPath: folder.path("one"), toPath: folder.path("copy"))
    for end in ["-wal", "-shm"] where FileManager.default.fileExists(atPath: folder.path("one") + end) {
      try FileManager.default.copyItem(atPath: folder.path("one") + end, toPath: folder.path("copy") + end)
    }
    let copy = try SyncDestinations(try HKHealthStore(storeAt: folder.path("copy")))
    #expect(try await copy.gatewayID() == identities[0])
  }

  @Test(arguments: ["", "a b", "a/b", "é", "a\n", "a\u{0}", String(repeating: "a", count: 65)])
  func `an invalid name is rejected`(name: String) async throws {
    let destinations = try SyncDestinations(try HKHealthStore.inMemory())
    #expect(!SyncDestination.isName(name))
    await #expect(throws: SyncDestinationError.invalidName(name)) {
      try await destinations.add(destination(name))
    }
  }

  @Test func `an unknown name is an error in each call`() async throws {
    let destinations = try SyncDestinations(try HKHealthStore.inMemory())
    let unknown = SyncDestinationError.unknown("x")
    await #expect(throws: unknown) { try await destinations.remove("x") }
    await #expect(throws: unknown) { try await destinations.reset("x") }
    await #expect(throws: unknown) { try await destinations.resetSetAside("x") }
    await #expect(throws: unknown) { _ = try await destinations.setAside("x") }
    #expect(SyncDestination.isName(String(repeating: "a", count: 64)))
  }

  @Test(arguments: [
    ("postgresql://h/d", "postgresql"), ("postgres://h/d", "postgresql"), ("fhir+https://h/r4", "fhir"),
    ("mqtts://h", "mqtt"), ("file:///d?format=csv", "file"),
  ])
  func `the scheme determines the kind`(address: String, kind: String) {
    var described = destination()
    described.address = address
    #expect(described.kind == kind)
  }

  @Test func `the state is current, waiting or carrying`() async throws {
    let store = try HKHealthStore.inMemory()
    let destinations = try SyncDestinations(store)
    try await destinations.add(destination(types: [pulse]))
    #expect(try await store.status()?.state == .current)
    try await store.save([heartRate(60, at: 0), burned(1, at: 0)])
    let waiting = try #require(try await store.status())
    #expect(waiting.state == .waiting && waiting.pending == 1 && waiting.types == [pulse])
    // Records the state of the destination while a page is sent.
    let external = FaultyStore()
    let (states, state) = AsyncStream.makeStream(of: SyncStatus.State?.self)
    await external.atCarry { _ in state.yield(try await store.status()?.state) }
    try await Synchronizer("d", of: store, to: external).runOnce()
    state.finish()
    #expect(await states.first { _ in true } == .some(.carrying))
    #expect(try await store.status()?.state == .current)
  }

  @Test func `a failure of the live state is reported while all samples are sent`() async throws {
    let store = try HKHealthStore.inMemory()
    let destinations = try SyncDestinations(store)
    try await destinations.add(destination(types: [pulse]))
    let run = Task { try await Synchronizer("d", of: store, to: FaultyStore()).run() }
    try await store.save([heartRate(60, at: 0)])
    #expect(await eventually { (try? await store.status())??.sent == 1 })
    #expect(try await store.status()?.state == .current)
    for (outlook, state) in [
      (ExternalStoreError.Outlook.lasting, SyncStatus.State.blocked), (.passing, .failing),
    ] {
      try await destinations.recordLiveFailure(
        ExternalStoreError("permit writing to homeassistant/#", outlook: outlook), of: "d")
      let status = try #require(try await store.status())
      #expect(status.state == state && status.pending == 0)
      #expect(status.lastError == "permit writing to homeassistant/#" && status.since != nil)
    }
    try await destinations.recordLiveFailure(nil, of: "d")
    #expect(try await store.status()?.state == .current)
    // A killed gateway leaves its failure in the store. The status omits the failure while no gateway runs.
    try await destinations.recordLiveFailure(ExternalStoreError("x", outlook: .lasting), of: "d")
    run.cancel()
    _ = await run.result
    #expect(try await store.status()?.state == .current)
  }

  @Test func `a program has its own destinations, for data that it may read`() async throws {
    let folder = try TemporaryFolder()
    let user = try HKHealthStore(storeAt: folder.path("s"))
    try await SyncDestinations(user).add(destination())
    try await user.save([heartRate(60, at: 0), burned(1, at: 0)])
    let program = try HKHealthStore(
      configuration: HKHealthStore.Configuration(
        location: .file(folder.path("s")),
        application: HKHealthStore.Application(
          bundleIdentifier: "org.example.exporter", name: "Exporter",
          healthShareUsageDescription: "to export it"),
        decision: .asking { _ in .granted(share: [], read: [pulse]) }))
    let destinations = try SyncDestinations(program)
    #expect(try await destinations.list().isEmpty)
    try await destinations.add(destination())
    let external = FaultyStore()
    // No data is sent until the user has been asked for permission.
    try await Synchronizer("d", of: program, to: external).runOnce()
    #expect(await external.pages.isEmpty)
    #expect(try await program.status()?.pending == 0)
    try await program.requestAuthorization(toShare: [], read: [pulse, energy])
    #expect(try await program.status()?.pending == 1)
    try await Synchronizer("d", of: program, to: external).runOnce()
    #expect(await external.records.values.map(\.sample.sampleType) == [pulse])
    #expect(try await user.status()?.pending == 2)
  }
}
