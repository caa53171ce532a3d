import BlueZ

/// A central that follows monitors through BlueZ, on the adapters of this machine.
struct BlueZFollowing: FollowingCentral {
  let central: BlueZCentral
  let resetsEnergy: Bool

  func events() -> BlueZCentral.ThrowingEvents { central.events() }

  func follow(_ monitors: [EnrolledMonitor]) async {
    await central.follow(
      monitors.map { monitor in
        FollowedMonitor(
          address: monitor.address, name: monitor.name, preferredAdapter: monitor.adapter,
          isBonded: monitor.isBonded, resetsEnergy: resetsEnergy)
      })
  }

  func run() async { await central.run() }
  func stop() async { await central.stop() }
  func takeTurn() async { await central.takeTurn() }
}
