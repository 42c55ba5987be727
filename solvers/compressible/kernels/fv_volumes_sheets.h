/* fv_volumes_sheets.h - gas of volumes that are covered in a step, where no neighbour has gas left.
 *
 * Where two bodies meet, a sheet of volumes is covered at once. A neighbourhood among these ends
 * without room (fv_volumes_weights.h). So the sheet empties layer by layer, from its middle, before
 * the last stage's sweeps. A layer is a distance in faces from a neighbourhood with room. Each
 * volume hands its contents to the next layer, in shares by opening.
 *
 * Room is FV_ROOM of a cell. A sliver at the rim has less, and the sheet's gas would have 1000
 * times its density there. So gas passes through it, and its own gas stays. Gas passes through
 * dust and gaps that are shut, too. Where no way leads to such room, any room will do. A
 * neighbourhood that keeps FV_ROOM_LEFT of its gas has room for it. So a body alone has no
 * sheets. */
#define FV_ROOM R(0.02)
#define FV_ROOM_LEFT R(0.1)
#define FV_LAYER_NONE -1       /* covered, without a layer so far */
#define FV_LAYER_LITTLE -2     /* it keeps its own gas, and has little room for more */
#define FV_LAYER_DUST -3       /* it keeps nothing */
#define FV_SHEET_OWN 1         /* its gas is covered */
#define FV_SHEET_PASSAGE 2     /* gas passes through */

/* layers: 0 where a neighbourhood has room. flags: FV_SHEET_OWN in volumes of sheets. */
TRM_GROUP_KERNEL8(fv_volumes_sheets, TRM_NO_SHARED, fv_volumes_params, TRM_RO(int) volumes,
                  TRM_RO(real) gas, TRM_RO(int) sides, TRM_RO(int) joins, TRM_RO(real) openings,
                  TRM_RO(real) hoods, TRM_RW(int) layers, TRM_RW(int) flags)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index v = (trm_index)group * TRM_GROUP + lane;
    if (v < p.volumes) {
      const int k = volumes[v] / FV_CELL_PARTS;
      int is_left = gas[v * FV_VOLUME_REALS + FV_GAS_BEGIN] > FV_CLOSES;
      FV_EACH_SIDE(v, k, s, f)
        is_left |= FV_BEYOND(s, f) >= 0 && openings[f * FV_OPENING_REALS] > FV_CLOSES;
      const int is_covered = gas[v * FV_VOLUME_REALS + FV_GAS_END] == R(0.0);
      TRM_IN(real) hood = hoods + v * FV_HOOD_REALS;
      const real room = trm_min(FV_ROOM, FV_ROOM_LEFT * hood[FV_HOOD_BEGIN]);
      layers[v] = hood[FV_HOOD_END] > R(0.0) && hood[FV_HOOD_END] >= room ? 0
                  : !(hood[FV_HOOD_OWN] > R(0.0)) ? FV_LAYER_DUST
                  : is_covered ? FV_LAYER_NONE : FV_LAYER_LITTLE;
      flags[v] = layers[v] == FV_LAYER_NONE && is_left;
    }
  }
}

/* Adds the passages to the flags. lacks: of gaps, if there are any. */
TRM_GROUP_KERNEL3(fv_volumes_passages, TRM_NO_SHARED, fv_volumes_params, TRM_RO(int) layers,
                  TRM_RO(real) lacks, TRM_RW(int) flags)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index v = (trm_index)group * TRM_GROUP + lane;
    if (v < p.volumes && flags[v] == 0) {
      const int is_shut = layers[v] == FV_LAYER_NONE && p.gaps > 0 &&
                          lacks[v * FV_LACK_REALS] > R(0.0);
      flags[v] = is_shut || layers[v] <= FV_LAYER_LITTLE ? FV_SHEET_PASSAGE : 0;
    }
  }
}

/* pockets: volumes of sheets without a layer. */
TRM_GROUP_KERNEL3(fv_volumes_pockets, TRM_NO_SHARED, fv_volumes_params, TRM_RO(int) layers,
                  TRM_RO(int) flags, TRM_RW(int) pockets)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index v = (trm_index)group * TRM_GROUP + lane;
    if (v < p.volumes) pockets[v] = flags[v] == FV_SHEET_OWN && layers[v] == FV_LAYER_NONE;
  }
}

/* Any room will do. */
TRM_GROUP_KERNEL1(fv_volumes_any_room, TRM_NO_SHARED, fv_volumes_params, TRM_RW(int) layers)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index v = (trm_index)group * TRM_GROUP + lane;
    if (v < p.volumes && layers[v] == FV_LAYER_LITTLE) layers[v] = 0;
  }
}

/* Finds layer p.layer, or the ways of volumes that have it. The list `sheet` has sheets and
 * passages. In `ways` are the openings of each volume to the layer before. In `flags` are the
 * list's volumes with a layer. */
TRM_GROUP_KERNEL8(fv_volumes_layer, TRM_NO_SHARED, fv_volumes_params, TRM_RO(int) sheet,
                  TRM_RO(int) volumes, TRM_RO(int) sides, TRM_RO(int) joins,
                  TRM_RO(real) openings, TRM_RW(int) layers, TRM_RW(real) ways, TRM_RW(int) flags)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index i = (trm_index)group * TRM_GROUP + lane;
    if (i < p.sheet) {
      const trm_index v = sheet[i];
      const int k = volumes[v] / FV_CELL_PARTS;
      real open = R(0.0);
      if (layers[v] < 0 || layers[v] == p.layer)
        FV_EACH_SIDE(v, k, s, f) {
          const int j = FV_BEYOND(s, f);
          if (j >= 0 && layers[j] == p.layer - 1) open += openings[f * FV_OPENING_REALS];
        }
      if (open > R(0.0)) {
        layers[v] = p.layer;
        ways[v] = open;
      }
      flags[i] = layers[v] > 0;
    }
  }
}

/* Takes the contents of sheets, which are to move. */
TRM_GROUP_KERNEL4(fv_flow_lift, TRM_NO_SHARED, fv_volumes_params, TRM_RO(int) layers,
                  TRM_RO(int) flags, TRM_RW(real) contents, TRM_RW(real) moving)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index v = (trm_index)group * TRM_GROUP + lane;
    if (v < p.volumes)
      for (int i = 0; i < FV_VALUES; i++) {
        const int moves = flags[v] == FV_SHEET_OWN && layers[v] > 0;
        moving[v * FV_VALUES + i] = moves ? contents[v * FV_VALUES + i] : R(0.0);
        if (moves) contents[v * FV_VALUES + i] = R(0.0);
      }
  }
}

/* The layer p.layer hands what moves to the one before. */
TRM_GROUP_KERNEL8(fv_flow_sheet, TRM_NO_SHARED, fv_volumes_params, TRM_RO(int) volumes,
                  TRM_RO(int) sides, TRM_RO(int) joins, TRM_RO(real) openings,
                  TRM_RO(int) layers, TRM_RO(real) ways, TRM_RW(real) moving,
                  TRM_RW(real) contents)
{
  TRM_GROUP1(group);
  TRM_SERIAL(lane, TRM_GROUP) {
    const trm_index v = (trm_index)group * TRM_GROUP + lane;
    if (v < p.volumes && layers[v] == p.layer - 1) {
      const int k = volumes[v] / FV_CELL_PARTS;
      real sum[FV_VALUES];
      for (int i = 0; i < FV_VALUES; i++) sum[i] = R(0.0);
      FV_EACH_SIDE(v, k, s, f) {
        const int j = FV_BEYOND(s, f);
        if (j >= 0 && layers[j] == p.layer)
          for (int i = 0; i < FV_VALUES; i++)
            sum[i] += openings[f * FV_OPENING_REALS] / ways[j] * moving[j * FV_VALUES + i];
      }
      TRM_OUT(real) to = (p.layer == 1 ? contents : moving) + v * FV_VALUES;
      for (int i = 0; i < FV_VALUES; i++) to[i] += sum[i];
    }
  }
}
