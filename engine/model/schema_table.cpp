#include "engine/model/schema.h"

// Source: MuJoCo 4.0.0, XML schema and XML reference of its manual. One row per element (or per
// group of elements with equal attributes), in the order of the manual.

#define ORIENTATION "quat axisangle xyaxes zaxis euler"
#define SENSOR "name nsample interp delay interval cutoff noise user"
// Common to all actuators; transmissions other than joints are unsupported.
#define ACTUATOR \
  "name class group nsample interp delay ctrlrange user forcelimited forcerange joint "
#define DAMPER                                                           \
  ACTUATOR                                                               \
  "lengthrange gear damping armature cranklength jointinparent !tendon " \
  "!slidersite !cranksite !site !refsite "
#define LIMITED DAMPER "ctrllimited "
#define DAMPER_DEFAULT                                                      \
  "group nsample interp delay ctrlrange user forcelimited forcerange gear " \
  "damping armature cranklength "
#define LIMITED_DEFAULT DAMPER_DEFAULT "ctrllimited "

namespace stepbench::model::mjcf {
namespace {

constexpr Use kRead = Use::kRead;
constexpr Use kIgnore = Use::kIgnore;
constexpr Use kUnsupported = Use::kUnsupported;

const char kTree[] = "worldbody body frame replicate";

std::vector<SchemaRow> make_table() {
  return {
      {"", "mujoco", "mujoco", kRead, "model"},

      {"mujoco", "option", "option", kRead,
       "timestep impratio tolerance ls_tolerance noslip_tolerance ccd_tolerance sleep_tolerance "
       "gravity "
       "wind magnetic density viscosity o_margin o_solref o_solimp o_friction integrator cone "
       "jacobian "
       "solver iterations ls_iterations noslip_iterations ccd_iterations sdf_iterations "
       "sdf_initpoints "
       "actuatorgroupdisable"},
      {"option", "?flag", "", kRead,
       "constraint equality frictionloss limit contact spring damper gravity clampctrl warmstart "
       "filterparent actuation refsafe sensor midphase eulerdamp autoreset nativeccd island "
       "multiccd "
       "override energy fwdinv invdiscrete sleep diagexact ipc speculative"},
      {"mujoco", "compiler", "compiler", kRead,
       "autolimits boundmass boundinertia settotalmass balanceinertia strippath coordinate angle "
       "fitaabb "
       "eulerseq meshdir texturedir discardvisual usethread fusestatic inertiafromgeom "
       "inertiagrouprange "
       "saveinertial savecompiled savecanonical assetdir alignfree conflict passthrough"},
      {"compiler", "?lengthrange", "", kIgnore,
       "mode useexisting uselimit accel maxforce timeconst timestep inttotal interval tolrange"},
      {"mujoco", "size", "", kRead,
       "memory njmax nconmax nstack nuserdata nkey nuser_body nuser_jnt nuser_geom nuser_site "
       "nuser_cam "
       "nuser_tendon nuser_actuator nuser_sensor"},
      {"mujoco", "statistic", "", kIgnore, "meaninertia meanmass meansize extent center"},

      // Assets: meshes and height fields are judged where a geom uses them.
      {"mujoco", "asset", "asset", kRead, ""},
      {"asset", "mesh", "mesh", kRead,
       "name class content_type file vertex normal texcoord face refpos refquat scale smoothnormal "
       "maxhullvert inertia builtin params material"},
      {"mesh", "plugin", "plugin", kIgnore, "plugin instance"},
      {"plugin", "config", "", kIgnore, "key value"},
      {"asset", "hfield", "", kRead, "name content_type file nrow ncol size elevation"},
      {"asset deformable", "skin", "skin", kIgnore,
       "name file material rgba inflate vertex texcoord face group"},
      {"skin", "bone", "", kIgnore, "body bindpos bindquat vertid vertweight"},
      {"asset", "texture", "", kIgnore,
       "name class type colorspace content_type file gridsize gridlayout fileright fileleft fileup "
       "filedown filefront fileback builtin rgb1 rgb2 mark markrgb random width height hflip vflip "
       "nchannel embed"},
      {"asset", "material", "material", kIgnore,
       "name class texture texrepeat texuniform emission specular shininess reflectance metallic "
       "roughness rgba"},
      {"material", "layer", "", kIgnore, "texture role"},
      {"asset", "model", "", kIgnore, "name file content_type"},  // <attach> is what uses it

      // Kinematic tree. `frame` and `replicate` hold what a body holds.
      {"mujoco", "worldbody", "worldbody", kRead, ""},
      {kTree, "body", "body", kRead,
       "name childclass pos " ORIENTATION " mocap gravcomp sleep simple fuse user"},
      {kTree, "frame", "frame", kRead,
       "name childclass pos " ORIENTATION " !scale scaling !massscale"},
      {kTree, "replicate", "replicate", kRead, "count sep offset euler"},
      {kTree, "?inertial", "", kRead, "pos mass diaginertia fullinertia " ORIENTATION},
      {kTree, "joint", "", kRead,
       "name class type group pos axis springdamper limited actuatorfrclimited solreflimit "
       "solimplimit "
       "solreffriction solimpfriction stiffness range actuatorfrcrange actuatorgravcomp margin ref "
       "springref springyield armature damping frictionloss user"},
      {kTree, "freejoint", "", kRead, "name group align"},
      {kTree, "geom", "geom", kRead,
       "name class type contype conaffinity condim group priority size material friction mass "
       "density "
       "shellinertia solmix solref solimp margin gap surfacevel adhesion fromto pos " ORIENTATION
       " hfield mesh fitscale rgba castshadow fluidshape fluidcoef user"},
      {"geom", "plugin", "", kUnsupported, ""},
      {kTree, "site", "", kRead,
       "name class type group pos " ORIENTATION " material mesh size fromto rgba user"},
      {kTree, "camera", "", kIgnore,
       "name class projection fovy ipd resolution output pos " ORIENTATION
       " mode target focal focalpixel principal principalpixel sensorsize user"},
      {kTree, "light", "", kIgnore,
       "name class directional type castshadow active pos dir bulbradius intensity range "
       "attenuation "
       "cutoff softness exponent ambient diffuse specular mode target texture"},
      {kTree, "attach plugin flexcomp", "", kUnsupported, ""},

      {"mujoco", "deformable", "deformable", kRead, ""},
      {"deformable", "flex", "", kUnsupported, ""},

      {"mujoco", "contact", "contact", kRead, ""},
      {"contact", "pair", "", kRead,
       "name class geom1 geom2 condim friction solref solreffriction solimp gap margin adhesion"},
      {"contact", "exclude", "", kRead, "name body1 body2"},

      {"mujoco", "equality", "equality", kRead, ""},
      {"equality", "connect weld joint tendon flex flexstrain", "", kUnsupported, ""},
      {"mujoco", "tendon", "tendon", kRead, ""},
      {"tendon", "spatial fixed", "", kUnsupported, ""},

      {"mujoco", "actuator", "actuator", kRead, ""},
      {"actuator", "general", "", kRead,
       LIMITED "!body actlimited actrange actdim input velrange ffrange "
               "inheritrange dyntype gaintype biastype "
               "dynprm gainprm biasprm actearly"},
      {"actuator", "motor", "", kRead, LIMITED},
      {"actuator", "position", "", kRead, LIMITED "inheritrange kp kv dampratio timeconst"},
      {"actuator", "velocity", "", kRead, LIMITED "kv"},
      {"actuator", "damper", "", kRead, DAMPER "kv"},
      {"actuator", "intvelocity", "", kRead,
       LIMITED "actlimited actrange inheritrange kp kv dampratio"},
      {"actuator", "cylinder", "", kRead, LIMITED "timeconst area diameter bias"},
      {"actuator", "orientation pid muscle adhesion dcmotor plugin", "", kUnsupported, ""},

      {"mujoco", "sensor", "sensor", kIgnore, ""},
      {"sensor", "touch accelerometer velocimeter gyro force torque magnetometer", "", kIgnore,
       SENSOR " site"},
      {"sensor", "camprojection", "", kIgnore, SENSOR " site camera"},
      {"sensor", "rangefinder", "", kIgnore, SENSOR " site camera data"},
      {"sensor",
       "jointpos jointvel jointactuatorfrc ballquat ballangvel jointlimitpos jointlimitvel "
       "jointlimitfrc",
       "", kIgnore, SENSOR " joint"},
      {"sensor",
       "tendonpos tendonvel tendonactuatorfrc tendonlimitpos tendonlimitvel tendonlimitfrc", "",
       kIgnore, SENSOR " tendon"},
      {"sensor", "actuatorpos actuatorvel actuatorfrc", "", kIgnore, SENSOR " actuator"},
      {"sensor",
       "framepos framequat framexaxis frameyaxis framezaxis framelinvel frameangvel framelinacc "
       "frameangacc",
       "", kIgnore, SENSOR " objtype objname reftype refname"},
      {"sensor", "subtreecom subtreelinvel subtreeangmom", "", kIgnore, SENSOR " body"},
      {"sensor", "insidesite", "", kIgnore, SENSOR " site objtype objname enclosed"},
      {"sensor", "distance normal fromto", "", kIgnore, SENSOR " geom1 geom2 body1 body2"},
      {"sensor", "contact", "", kIgnore,
       SENSOR " geom1 geom2 body1 body2 subtree1 subtree2 site num data reduce"},
      {"sensor", "e_potential e_kinetic clock", "", kIgnore, SENSOR},
      {"sensor", "tactile", "", kIgnore,
       "name geom mesh nsample interp delay interval cutoff user"},
      {"sensor", "user", "", kIgnore,
       "name objtype objname datatype needstage dim cutoff noise user"},
      {"sensor", "plugin", "plugin", kIgnore,
       "name plugin instance cutoff objtype objname reftype refname user"},

      {"mujoco", "keyframe", "keyframe", kRead, ""},
      {"keyframe", "key", "", kRead, "name time qpos qvel act mpos mquat ctrl plastic"},

      {"mujoco", "visual", "visual", kIgnore, ""},
      {"visual", "?global", "", kIgnore,
       "cameraid orthographic fovy ipd azimuth elevation linewidth glow offwidth offheight "
       "realtime "
       "ellipsoidinertia bvactive"},
      {"visual", "?quality", "", kIgnore, "shadowsize offsamples numslices numstacks numquads"},
      {"visual", "?headlight", "", kIgnore, "ambient diffuse specular active"},
      {"visual", "?map", "", kIgnore,
       "stiffness stiffnessrot force torque alpha fogstart fogend znear zfar haze shadowclip "
       "shadowscale actuatortendon"},
      {"visual", "?scale", "", kIgnore,
       "forcewidth contactwidth contactheight connect com camera light selectpoint jointlength "
       "jointwidth actuatorlength actuatorwidth framelength framewidth constraint slidercrank "
       "frustum"},
      {"visual", "?rgba", "", kIgnore,
       "fog haze force inertia joint actuator actuatornegative actuatorpositive com camera light "
       "selectpoint connect contactpoint contactforce contactfriction contacttorque contactgap "
       "rangefinder constraint slidercrank crankbroken frustum bv bvactive"},

      // Default classes.
      {"mujoco default", "default", "default", kRead, "class"},
      {"default", "?mesh", "", kIgnore, "scale maxhullvert inertia"},
      {"default", "?texture", "", kIgnore,
       "type colorspace gridsize gridlayout builtin rgb1 rgb2 mark markrgb random width height "
       "hflip "
       "vflip nchannel embed"},
      {"default", "?material", "material", kIgnore,
       "texture texrepeat texuniform emission specular shininess reflectance metallic roughness "
       "rgba"},
      {"default", "?joint", "", kRead,
       "type group pos axis springdamper limited actuatorfrclimited solreflimit solimplimit "
       "solreffriction solimpfriction stiffness range actuatorfrcrange actuatorgravcomp margin ref "
       "springref springyield armature damping frictionloss user"},
      {"default", "?geom", "", kRead,
       "type contype conaffinity condim group priority size material friction mass density "
       "shellinertia solmix solref solimp margin gap surfacevel adhesion fromto pos " ORIENTATION
       " hfield mesh fitscale rgba castshadow fluidshape fluidcoef user"},
      {"default", "?site", "", kRead,
       "type group pos " ORIENTATION " material mesh size fromto rgba user"},
      {"default", "?camera", "", kIgnore,
       "projection fovy ipd resolution output pos " ORIENTATION
       " mode focal focalpixel principal principalpixel sensorsize user"},
      {"default", "?light", "", kIgnore,
       "directional type castshadow active pos dir bulbradius intensity range attenuation cutoff "
       "softness exponent ambient diffuse specular mode"},
      {"default", "?pair", "", kRead,
       "condim friction solref solreffriction solimp gap margin adhesion"},
      {"default", "?equality", "", kIgnore, "active solref solimp"},
      {"default", "?tendon", "", kIgnore,
       "group limited actuatorfrclimited range actuatorfrcrange solreflimit solimplimit "
       "solreffriction solimpfriction frictionloss springlength springyield width material margin "
       "stiffness damping armature rgba user"},
      {"default", "?general", "", kRead,
       LIMITED_DEFAULT
       "actlimited actrange actdim input velrange ffrange inheritrange dyntype gaintype biastype "
       "dynprm gainprm biasprm actearly"},
      {"default", "?motor", "", kRead, LIMITED_DEFAULT},
      {"default", "?position", "", kRead, LIMITED_DEFAULT "inheritrange kp kv dampratio timeconst"},
      {"default", "?velocity", "", kRead, LIMITED_DEFAULT "kv"},
      {"default", "?damper", "", kRead, DAMPER_DEFAULT "kv"},
      {"default", "?intvelocity", "", kRead,
       LIMITED_DEFAULT "actlimited actrange inheritrange kp kv dampratio"},
      {"default", "?cylinder", "", kRead, LIMITED_DEFAULT "timeconst area diameter bias"},
      // Shortcuts that are not simulated: their common attributes are inherited by all actuators.
      {"default", "?orientation", "", kRead, LIMITED_DEFAULT "kp kv dampratio input"},
      {"default", "?pid", "", kRead,
       LIMITED_DEFAULT
       "posrange velrange ffrange inheritrange kp kv dampratio ki imax slewmax input"},
      {"default", "?muscle", "", kRead,
       LIMITED_DEFAULT "timeconst tausmooth range force scale lmin lmax vmax fpmax fvmax"},
      {"default", "?adhesion", "", kRead, LIMITED_DEFAULT "gain"},
      {"default", "?dcmotor", "", kRead,
       LIMITED_DEFAULT "motorconst resistance nominal saturation inductance cogging controller "
                       "thermal lugre input"},

      {"mujoco", "custom", "custom", kIgnore, ""},
      {"custom", "numeric", "", kIgnore, "name size data"},
      {"custom", "text", "", kIgnore, "name data"},
      {"custom", "tuple", "tuple", kIgnore, "name"},
      {"tuple", "element", "", kIgnore, "objtype objname prm"},

      {"mujoco", "extension", "extension", kRead, ""},
      {"extension", "plugin", "", kUnsupported, ""},
  };
}

}  // namespace

const std::vector<SchemaRow>& schema_table() {
  static const std::vector<SchemaRow> table = make_table();
  return table;
}

}  // namespace stepbench::model::mjcf
