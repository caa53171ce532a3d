/// The facts that the checks of `hrgate doctor` evaluate, from the radio to the store.
public struct Facts: Hashable, Sendable {
  public var machine: MachineFacts
  public var bluetooth: BluetoothFacts
  public var clock: ClockFacts
  public var store: StoreFacts
  /// The stores of people other than the account owner.
  public var people: [StoreFacts]
  public var service: ServiceFacts
  public var monitors: [EnrolmentFacts]

  public init(
    machine: MachineFacts, bluetooth: BluetoothFacts, clock: ClockFacts, store: StoreFacts,
    people: [StoreFacts] = [], service: ServiceFacts, monitors: [EnrolmentFacts]
  ) {
    self.machine = machine
    self.bluetooth = bluetooth
    self.clock = clock
    self.store = store
    self.people = people
    self.service = service
    self.monitors = monitors
  }

  /// The findings of all checks.
  public var findings: [Finding] {
    KernelCheck.findings(machine) + RadioSwitchCheck.findings(machine) + BusCheck.findings(bluetooth)
      + DaemonCheck.findings(bluetooth) + AdapterCheck.findings(bluetooth, machine)
      + DiscoveryCheck.findings(bluetooth) + SupervisionCheck.findings(machine)
      + ClockCheck.findings(clock, [store] + people) + ([store] + people).flatMap(StoreCheck.findings)
      + ServiceCheck.findings(service, store, people: people, monitors: monitors)
      + monitors.flatMap { monitor in
        BatteryCheck.findings(monitor) + BondCheck.findings(monitor, bluetooth)
          + LastSeenCheck.findings(monitor, clock) + LinkEndsCheck.findings(monitor, clock)
      }
  }
}
