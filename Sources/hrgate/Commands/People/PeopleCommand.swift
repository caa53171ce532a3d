import ArgumentParser

/// Manages the people whose stores this user keeps.
struct PeopleCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "people",
    abstract: "Manage people who have their own store beside yours.",
    discussion: .paragraphs(
      """
      A store belongs to one person, because the heartbeats of two people in one store cannot be separated. Each person has a directory below
      $XDG_DATA_HOME/hrgate/people with a store that only you can read; your own store stays where it is. hrgate pair --person assigns a
      monitor to a person. One gateway follows the monitors of all people, and other commands select a person's store with --person. Programs
      open the store of the person in HRGATE_PERSON. Each store has its own destinations, permissions and preferences.

      A running gateway picks up added, renamed and removed people. The time during such a change is recorded as a gap.

      EXAMPLES
        hrgate people add anna
        hrgate pair "Polar H10 12345678" --person anna
        hrgate stats --person anna
        HRGATE_PERSON=anna ./HeartRateReader
      """),
    subcommands: [
      PeopleListCommand.self, PeopleAddCommand.self, PeopleRenameCommand.self, PeopleRemoveCommand.self,
    ], defaultSubcommand: PeopleListCommand.self)
}
